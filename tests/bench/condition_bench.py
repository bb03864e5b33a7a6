"""What a breakpoint whose condition is false costs in a loop under dlscope, pdb and debugpy, as multiples of the loop without any:

    python3 tests/bench/condition_bench.py EMBED_HOST_TEST PYTHON ...

EMBED_HOST_TEST is build/test/tests/embed_host_test; each PYTHON has debugpy (cmake/requirements/tools.txt), or is compared with pdb only.
First each of them has to stop at iteration 137 of 200. Then the loop is timed, CPU time of its thread, the four by turns in ROUNDS rounds; given
is the best of each.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile

ROUNDS = 3
ITERATIONS = 200_000  # as in tests/embed/host/breakpoint_cost_test.cpp
LINE = 5              # t += i
NEVER, ONCE = "i < 0", "i == 137"

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
if len(sys.argv) > 2:
    import pdb
    debugger = pdb.Pdb(stdin=io.StringIO("p ('stopped', i)\\ncontinue\\n" * 2), stdout=sys.stdout, nosigint=True, readrc=False)
    debugger.reset()
    assert debugger.set_break(__file__, 5, cond=sys.argv[2]) is None
    print("took", timed(debugger.runcall, loop, int(sys.argv[1])))
else:
    print("took", timed(loop, int(sys.argv[1])), flush=True)
"""


def took(output):
    found = re.search(r"\btook ([0-9.e-]+)", output)
    return float(found[1]) if found else sys.exit("no time in: " + output)


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment}).stdout


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

    def answer(self, command, **arguments):
        self.send(command, **arguments)
        return self.wait_for("response", command)["body"]


def connected(process, port):
    for _ in range(300):
        try:
            return Client(port)
        except OSError:
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
    sys.exit("debugpy did not listen")


def under_debugpy(python, path, iterations, condition):
    """(what the loop took, the value of i where it stopped or None)"""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([python, "-Xfrozen_modules=off", "-m", "debugpy", "--listen", "127.0.0.1:%d" % port, "--wait-for-client", path,
                                str(iterations)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    client = connected(process, port)
    client.send("initialize", adapterID="bench", linesStartAt1=True)
    client.wait_for("response", "initialize")
    client.send("attach", justMyCode=True)
    client.wait_for("event", "initialized")
    set_there = client.answer("setBreakpoints", source={"path": path}, breakpoints=[{"line": LINE, "condition": condition}])["breakpoints"]
    if [(point["verified"], point["line"]) for point in set_there] != [(True, LINE)]:
        sys.exit("debugpy did not take the breakpoint: %r" % (set_there,))
    client.send("configurationDone")
    stopped_at = None
    if condition == ONCE:
        thread = client.wait_for("event", "stopped")["body"]["threadId"]
        frame = client.answer("stackTrace", threadId=thread)["stackFrames"][0]["id"]
        stopped_at = client.answer("evaluate", expression="i", frameId=frame)["result"]
        client.send("continue", threadId=thread)
    output = process.stdout.readline()  # the adapter keeps the pipe open while its client is there
    client.socket.close()
    process.kill()
    process.wait()
    return took(output), stopped_at


def compare(host_test, python, path):
    version = run(python, "-c", "import sys; print(sys.version.split()[0])").strip()
    has_debugpy = subprocess.run([python, "-c", "import debugpy"], capture_output=True).returncode == 0
    debugpy = run(python, "-c", "import debugpy; print(debugpy.__version__)").strip() if has_debugpy else "not installed"
    ways = {
        "plain": lambda: took(run(python, path, str(ITERATIONS))),
        # It checks its own stop at iteration 137 first.
        "dlscope": lambda: took(run(host_test, "cost of a condition that is false", DLSCOPE_TEST_PYTHONS=python)),
        "pdb": lambda: took(run(python, path, str(ITERATIONS), NEVER)),
    }
    stops = run(python, path, "200", ONCE)
    assert stops.count("stopped") == 1 and "('stopped', 137)" in stops, stops
    if has_debugpy:
        ways["debugpy"] = lambda: under_debugpy(python, path, ITERATIONS, NEVER)[0]
        assert under_debugpy(python, path, 200, ONCE)[1] == "137"
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for way, time in ways.items():
            best[way] = min(best[way], time())
    cells = ["%.2f us, %.0f times" % ((seconds - best["plain"]) / ITERATIONS * 1e6, seconds / best["plain"])
             for way, seconds in best.items() if way != "plain"]
    print("| %s | %.0f ns | %s | (debugpy %s)" % (version, best["plain"] / ITERATIONS * 1e9, " | ".join(cells), debugpy), flush=True)


def main():
    host_test, *pythons = sys.argv[1:]
    print("load %s; an iteration more than without a breakpoint, and times the loop without:" % (os.getloadavg(),))
    print("| Python | plain | dlscope | pdb | debugpy |\n|---|---|---|---|---|")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(SCRIPT)
        script.flush()
        for python in pythons:
            compare(host_test, python, script.name)


main()
