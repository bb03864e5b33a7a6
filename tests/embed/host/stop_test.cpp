// Stop: SIGINT to the main thread while it runs user code, at once where it may, after a library's import where it must wait.
#include <signal.h>
#include <sys/wait.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

namespace {

std::optional<core::RunOutcome> finished(HostProcess& host) {
  auto message = host.wait_for<core::wire::RunFinished>();
  if (!message) return std::nullopt;
  return message->outcome;
}

bool was_told(const HostProcess& host, const std::string& wording) {
  return std::any_of(host.messages.begin(), host.messages.end(), [&](const core::wire::ToViewer& message) {
    const auto* notice = std::get_if<core::wire::Notice>(&message);
    return notice != nullptr && notice->text.find(wording) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("Stop ends an endless loop, a sleep, a wait for a lock and a long C call that looks at signals", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  for (const char* body : {"while True: pass", "time.sleep(1000)", "l = threading.Lock(); l.acquire(); l.acquire()",
                           "re.match('(a*)*b', 'a' * 60)", "subprocess.run(['sleep', '1000'])"}) {
    INFO(body);
    host.start_script("import re, subprocess, threading, time\nprint('on', flush=True)\n" + std::string(body) + "\n");
    REQUIRE(host.wait_for<core::wire::RunStarted>());
    REQUIRE(host.wait_for_output("on\n"));
    host.stop();
    const auto outcome = finished(host);
    REQUIRE(outcome);
    CHECK(outcome->outcome == Outcome::interrupted);
    REQUIRE(outcome->error);
    CHECK(outcome->error->type == "KeyboardInterrupt");
    CHECK(outcome->error->line >= 2);  // where it landed, at the earliest where the script had said that it is on
    CHECK_THAT(outcome->error->traceback, !ContainsSubstring("_host"));
    const auto snapshot = host.wait_for<core::wire::SnapshotReady>();
    REQUIRE(snapshot);
    CHECK(snapshot->scanned == core::Scanned::interrupt);
    std::filesystem::resize_file(host.folder().path() / "stdout", 0);
  }
  const auto outcome = host.run_script("print('still here')\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "still here\n");
}

// As where the signal comes just before the call: the call itself is not ended by it.
TEST_CASE("Stop reaches a call that its signal does not end", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(
      "import os, signal\nsignal.siginterrupt(signal.SIGINT, False)\nr, w = os.pipe()\nprint('on', flush=True)\nos.read(r, 1)\n");
  REQUIRE(host.wait_for<core::wire::RunStarted>());
  REQUIRE(host.wait_for_output("on\n"));
  host.stop();
  const auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
}

TEST_CASE("Stop while idle does nothing to the next run", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  REQUIRE(host.wait_for<core::wire::Hello>());
  host.run_script("pass\n");
  REQUIRE(host.wait_for<core::wire::SnapshotReady>());
  host.stop();
  kill(host.pid(), SIGINT);  // Ctrl-C in the terminal
  const auto outcome = host.run_script("for i in range(100000): pass\nprint('done')\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "done\n");
}

TEST_CASE("Stop that comes together with a run stops it", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  REQUIRE(host.wait_for<core::wire::Hello>());
  host.start_script("while True: pass\n");
  host.stop();
  const auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
}

// Short naps in what follows: a signal that comes just before one is noticed after it, in python itself too.
TEST_CASE("a script that swallows one interrupt is stopped by the next", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(
      "import time\ntry:\n    print('one', flush=True)\n    while True: time.sleep(0.05)\nexcept BaseException:\n"
      "    print('two', flush=True)\n    while True: time.sleep(0.05)\n");
  REQUIRE(host.wait_for_output("one"));
  host.stop();
  REQUIRE(host.wait_for_output("two"));
  host.stop();
  const auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
}

TEST_CASE("Ctrl-C in the terminal reaches the script as in python itself", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(
      "import time\ntry:\n    print('on', flush=True)\n    while True: time.sleep(0.05)\n"
      "except KeyboardInterrupt:\n    print('caught')\n");
  REQUIRE(host.wait_for_output("on\n"));
  kill(host.pid(), SIGINT);
  const auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "on\ncaught\n");
}

TEST_CASE("the import of a library is not cut short, unless Stop is asked for twice", "[host]") {
  EACH_PYTHON(python);
  const char* const library = R"(
import time
print('importing', flush=True)
end = time.monotonic() + 0.6
while time.monotonic() < end: pass
while slow_for_ever: pass
complete = True
)";
  TemporaryFolder libraries;
  libraries.write("slow_library.py", library);
  const std::string script = "import builtins, sys\nsys.path.append(" + ("'" + libraries.path().string() + "'") +
                             ")\nbuiltins.slow_for_ever = len(sys.argv) > 1\nimport slow_library\nwhile True: pass\n";
  HostProcess host(python);
  host.start_script(script);
  REQUIRE(host.wait_for_output("importing"));
  host.stop();
  auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
  REQUIRE(outcome->error);
  CHECK(outcome->error->line >= 4);  // of the import at the earliest; that it was over is seen below
  CHECK(was_told(host, "the import of slow_library"));
  outcome = host.run_script("import sys\nprint(sys.modules['slow_library'].complete)\n");
  REQUIRE(outcome);
  CHECK_THAT(host.out(), ContainsSubstring("True"));

  HostProcess other(python);
  other.start_script(script, {"for ever"});
  REQUIRE(other.wait_for_output("importing"));
  other.stop();
  REQUIRE(other.wait_for<core::wire::Notice>());
  other.send(core::wire::Interrupt{2});
  outcome = finished(other);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
  REQUIRE(outcome->error);
  CHECK(outcome->error->line == 4);
}

TEST_CASE("the user's own module beside the script can be stopped while it is imported", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.folder().write("mine.py", "print('importing', flush=True)\nwhile True: pass\n");
  host.start_script("import mine\n");
  REQUIRE(host.wait_for_output("importing"));
  host.stop();
  const auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
  REQUIRE(outcome->error);
  CHECK(outcome->error->line == 1);
}

TEST_CASE("a folder whose name begins like the script's is a library's", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.folder().write(
      "app2/library.py",
      "import time\nprint('importing', flush=True)\nend = time.monotonic() + 0.6\nwhile time.monotonic() < end: pass\n"
      "complete = True\n");
  core::wire::Run run;
  run.path = host.folder().write("app/script.py", "import sys\nsys.path.append('" + (host.folder().path() / "app2").string() +
                                                       "')\nimport library\nwhile True: pass\n");
  run.run = 1;
  host.send(run);
  REQUIRE(host.wait_for_output("importing"));
  host.stop();
  const auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
  CHECK(was_told(host, "the import of library"));
}

TEST_CASE("handlers of the user's are respected during his run and gone in the next", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(R"(
import signal, time, asyncio
seen = []
signal.signal(signal.SIGINT, lambda *a: seen.append(a))
print('on', flush=True)
while not seen: time.sleep(0.01)
print('mine', len(seen))
signal.signal(signal.SIGINT, signal.default_int_handler)
async def main():
    print('async', flush=True)
    await asyncio.sleep(1000)
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print('left asyncio')
signal.signal(signal.SIGINT, signal.SIG_IGN)
)");
  REQUIRE(host.wait_for_output("on\n"));
  host.stop();
  REQUIRE(host.wait_for_output("async"));
  host.stop();
  auto outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::finished);
  CHECK(host.out() == "on\nmine 1\nasync\nleft asyncio\n");
  host.start_script("print('next', flush=True)\nwhile True: pass\n");
  REQUIRE(host.wait_for_output("next"));
  host.stop();
  outcome = finished(host);
  REQUIRE(outcome);
  CHECK(outcome->outcome == Outcome::interrupted);
}

namespace {

// A producer that says when it is asked, waits, and swallows the interrupt; what comes behind it is walked by our own code alone.
const char* const kSwallows = R"(
import os, time
class Swallows:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **how):
        try:
            print('asked', flush=True)
            while True: time.sleep(0.01)
        except KeyboardInterrupt:
            pass
        raise ValueError('no')
first = Swallows()
then = [[i] for i in range(1000)]
last = bytearray(3)
)";

std::size_t tensors_of(HostProcess& host, const core::wire::SnapshotReady& ready) {
  const auto bytes = host.region().take_snapshot(ready.sequence);
  REQUIRE(bytes);
  const auto snapshot = core::wire::decode_snapshot(*bytes);
  REQUIRE(snapshot);
  return (*snapshot)->tensors.size();
}

}  // namespace

TEST_CASE("Stop ends a scan whose producers swallow it, and what was found stays", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(kSwallows);
  REQUIRE(host.wait_for_output("asked"));
  SECTION("asked for by the viewer") { host.stop(); }
  SECTION("by Ctrl-C in the terminal") { kill(host.pid(), SIGINT); }
  const auto ready = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(ready);
  CHECK(ready->scanned == core::Scanned::interrupt);
  CHECK(tensors_of(host, *ready) == 1);
  CHECK(was_told(host, "The scan was interrupted"));
}

TEST_CASE("a producer that raises KeyboardInterrupt by itself has refused, and the scan goes on", "[host]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(R"(
class Odd:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **how): raise KeyboardInterrupt('mine')
first = Odd()
last = bytearray(3)
)");
  const auto ready = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(ready);
  CHECK(ready->scanned == core::Scanned::end);
  CHECK(tensors_of(host, *ready) == 2);
  CHECK_FALSE(was_told(host, "interrupted"));
}
