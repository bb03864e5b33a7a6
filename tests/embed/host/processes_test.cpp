// Other processes and threads of a script: fork, multiprocessing, subprocess, daemon threads.
#include <signal.h>
#include <sys/wait.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

TEST_CASE("a forked child that runs off the end of the script ends like a script", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run_script(R"(
import os, sys, atexit
def ending(body):
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        body()
        return None
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
parent = os.getpid()
def fail(): raise ValueError('in the child')
results = []
for body in (lambda: None, lambda: sys.exit(5), lambda: os._exit(6), fail):
    result = ending(body)
    if os.getpid() != parent: break
    results.append(result)
if os.getpid() == parent: print(results)
)");
  REQUIRE(outcome);
  INFO(host.err());
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "[0, 5, 6, 1]\n");
  CHECK_THAT(host.err(), ContainsSubstring("ValueError: in the child"));
  std::size_t finished = 0;
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  for (const auto& message : host.messages) finished += std::holds_alternative<core::wire::RunFinished>(message) ? 1U : 0U;
  CHECK(finished == 1);
  CHECK(host.leave() == 0);
}

TEST_CASE("a script without threads forks without a warning, and Stop works afterwards", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(R"(
import os
for i in range(20):
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
print('forked', flush=True)
while True: pass
)");
  REQUIRE(host.wait_for_output("forked"));
  CHECK(host.err() == "");
  host.stop();
  const auto finished = host.wait_for<core::wire::RunFinished>();
  REQUIRE(finished);
  CHECK(finished->outcome.outcome == Outcome::interrupted);
}

// The child takes the place of our thread, which ends before a fork: no other can be started until the child is gone.
TEST_CASE("a script at its limit of processes forks, its user is told where Stop has to wait, and it is stopped after that",
          "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(R"(
import os, resource, signal, sys, threading, time
if os.getuid() == 0: os.setuid(100000 + os.getpid())  # root has no limit, and nobody else this number
def fits(limit):
    resource.setrlimit(resource.RLIMIT_NPROC, (limit, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
    try: threading.Thread(target=int).start()
    except RuntimeError: return False
    return True
most = next((n for n in range(1, 10000) if fits(n)), 0)
time.sleep(0.2)  # what fits() started has ended
limited = most > 1 and not fits(most - 1)
print('limited.' if limited else 'unlimited.', flush=True)
if not limited: sys.exit()
def listening(): return len(os.listdir('/proc/self/task')) > 1
def fork(child):
    pid = os.fork()
    if pid == 0:
        child()
        os._exit(0)
    return pid
os.waitpid(fork(lambda: None), 0)
while not listening(): pass
print('again', flush=True)

told = []
signal.signal(signal.SIGUSR1, lambda *arguments: told.append(True))
reading, writing = os.pipe()
pid = fork(lambda: os.read(reading, 1))
while not told: pass
print('listening' if listening() else 'deaf', flush=True)
os.write(writing, b'.')
os.waitpid(pid, 0)
os.waitpid(fork(lambda: None), 0)
while not listening(): pass
print('in the end', flush=True)
while True: pass
)");
  REQUIRE(host.wait_for_output("limited."));
  if (host.out() == "unlimited.\n") SKIP("the number of threads is not limited here");
  REQUIRE(host.wait_for_output("again"));
  const auto notice = host.wait_for<core::wire::Notice>();
  INFO(host.err());
  REQUIRE(notice);
  CHECK_THAT(notice->text, ContainsSubstring("Stop does not work at the moment"));
  kill(host.pid(), SIGUSR1);
  REQUIRE(host.wait_for_output("in the end\n"));
  CHECK(host.out() == "limited.\nagain\ndeaf\nin the end\n");
  host.stop();
  const auto finished = host.wait_for<core::wire::RunFinished>();
  REQUIRE(finished);
  CHECK(finished->outcome.outcome == Outcome::interrupted);
}

TEST_CASE("multiprocessing works with fork, spawn and forkserver", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run_script(R"(
import multiprocessing, sys
def square(x):
    return x * x
if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(square, range(4)), flush=True)
    process = multiprocessing.get_context('spawn').Process(target=print, args=('child',))
    process.start()
    process.join()
    print(process.exitcode)
)");
  REQUIRE(outcome);
  INFO(host.err());
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "fork [0, 1, 4, 9]\nspawn [0, 1, 4, 9]\nforkserver [0, 1, 4, 9]\nchild\n0\n");
  CHECK(host.leave() == 0);
  CHECK(host.err().empty());
}

TEST_CASE("a subprocess of sys.executable is the user's own python", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto outcome = host.run_script(R"(
import subprocess, sys
ask = 'import sys, signal; print(sys.version_info[:3], sys.prefix, signal.getsignal(signal.SIGSEGV), signal.pthread_sigmask(signal.SIG_BLOCK, []))'
print(subprocess.check_output([sys.executable, '-c', ask], text=True), end='')
)");
  REQUIRE(outcome);
  INFO(host.err());
  CHECK(host.out() == output_of_command("'" + python.executable +
                                        "' -c 'import sys, signal; print(sys.version_info[:3], sys.prefix, "
                                        "signal.getsignal(signal.SIGSEGV), signal.pthread_sigmask(signal.SIG_BLOCK, []))'"));
}

TEST_CASE("threads of a script go on while the host is idle, signals reach the main thread", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  core::wire::Run run;
  run.interactive_stops = true;  // a window
  run.source = R"(
import os, signal, threading, time
signal.signal(signal.SIGUSR1, lambda *a: print('usr1 in', threading.current_thread() is threading.main_thread(), flush=True))
def later():
    time.sleep(0.3)
    print('later', flush=True)
    os.kill(os.getpid(), signal.SIGUSR1)
threading.Thread(target=later, daemon=True).start()
)";
  auto outcome = host.run(run);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.wait_for_output("usr1 in True"));
  outcome = host.run_script("1 / 0\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::raised);
}

TEST_CASE("a script killed from outside or ended by a default signal just ends", "[host]") {
  EACH_PYTHON(python);
  for (const int signal : {SIGTERM, SIGKILL}) {
    HostProcess host(python);
    host.start_script("import time\nprint('on', flush=True)\ntime.sleep(1000)\n");
    REQUIRE(host.wait_for_output("on\n"));
    kill(host.pid(), signal);
    const int status = host.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
  }
}
