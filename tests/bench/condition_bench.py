"""What a breakpoint whose condition is false costs in a loop under pdb and debugpy, as multiples of the loop without any:

    python3 tests/bench/condition_bench.py [ITERATIONS]     with a Python that has debugpy (left out without)

dlscope's own figure is printed by `embed_host_test "cost of a condition that is false"`. Every loop's sum is checked.
"""

import json
import socket
import subprocess
import sys
import tempfile

ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
LINE = 5  # t += i

SCRIPT = """import io, sys, time
def loop(n):
    t = 0
    for i in range(n):
        t += i
    return t
def timed(call, *arguments):
    begun = time.thread_time()
    value = call(*arguments)
    took = time.thread_time() - begun
    assert value == arguments[-1] * (arguments[-1] - 1) // 2
    return took
if sys.argv[2:] == ["pdb"]:
    import pdb
    debugger = pdb.Pdb(stdin=io.StringIO("continue\\n"), stdout=io.StringIO(), nosigint=True, readrc=False)
    debugger.reset()
    assert debugger.set_break(__file__, 5, cond="i < 0") is None
    print("took", timed(debugger.runcall, loop, int(sys.argv[1])))
else:
    print("took", min(timed(loop, int(sys.argv[1])) for _ in range(3 if sys.argv[2:] == ["plain"] else 1)), flush=True)
"""


def took(output):
    for line in output.splitlines():
        if line.startswith("took "):
            return float(line.split()[1])
    sys.exit("no time in: " + output)


def run(*arguments):
    return took(subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True).stdout)


class Client:
    """As much of the Debug Adapter Protocol as a breakpoint takes."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.stream = self.socket.makefile("rb")
        self.sent = 0

    def send(self, command, **arguments):
        self.sent += 1
        body = json.dumps({"seq": self.sent, "type": "request", "command": command, "arguments": arguments}).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def wait_for(self, kind, name):
        while True:
            length = 0
            while (line := self.stream.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.stream.read(length))
            if message["type"] == kind and message.get("event" if kind == "event" else "command") == name:
                return message


def under_debugpy(path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-Xfrozen_modules=off", "-m", "debugpy", "--listen", "127.0.0.1:%d" % port, "--wait-for-client", path,
                                str(ITERATIONS)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    client = None
    for _ in range(300):
        try:
            client = Client(port)
            break
        except OSError:
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
    if client is None:
        sys.exit("debugpy did not listen")
    client.send("initialize", adapterID="bench", linesStartAt1=True)
    client.wait_for("response", "initialize")
    client.send("attach", justMyCode=True)
    client.wait_for("event", "initialized")
    client.send("setBreakpoints", source={"path": path}, breakpoints=[{"line": LINE, "condition": "i < 0"}])
    set_there = client.wait_for("response", "setBreakpoints")["body"]["breakpoints"]
    if [(point["verified"], point["line"]) for point in set_there] != [(True, LINE)]:
        sys.exit("debugpy did not take the breakpoint: %r" % (set_there,))
    client.send("configurationDone")
    output = process.stdout.readline()  # the adapter keeps the pipe open while its client is there
    client.socket.close()
    process.kill()
    return took(output)


def main():
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(SCRIPT)
        script.flush()
        plain = run(script.name, str(ITERATIONS), "plain")
        pdb = run(script.name, str(ITERATIONS), "pdb")
        print("Python %s, %d iterations: plain %.1f ms" % (sys.version.split()[0], ITERATIONS, plain * 1e3))
        print("pdb: %.0f times plain, %.2f us an iteration" % (pdb / plain, (pdb - plain) / ITERATIONS * 1e6))
        try:
            import debugpy  # noqa: F401
        except ImportError:
            return print("debugpy: not installed here")
        debugged = under_debugpy(script.name)
        print("debugpy %s: %.0f times plain, %.2f us an iteration" % (debugpy.__version__, debugged / plain, (debugged - plain) / ITERATIONS * 1e6))


main()
