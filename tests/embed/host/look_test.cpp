// The moment that a run was asked for beforehand (--at, dlscope.stop()): what is shown of it, and that the script ends there.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

namespace {

// Nobody serves stops: the moment is looked at.
void start_at(Debugged& d, const std::string& stop_at, const std::string& code) {
  core::wire::Run run;
  run.run = 1;
  run.path = d.host.folder().write("script.py", code);
  run.stop_at = stop_at;
  run.scan_after = true;
  d.host.send(run);
}

bool was_told(const Debugged& d, const std::string& text) {
  return std::ranges::any_of(d.host.messages, [&](const auto& message) {
    const auto* notice = std::get_if<core::wire::Notice>(&message);
    return notice != nullptr && notice->text.find(text) != std::string::npos;
  });
}

void check_ended_at(Debugged& d, unsigned line) {
  const auto end = d.outcome();
  REQUIRE(end);
  if (end->error) UNSCOPED_INFO(end->error->traceback);
  CHECK(end->outcome == Outcome::finished);
  CHECK(end->exit_code.value_or(0) == 0);
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  const core::SnapshotPtr snapshot = d.last_snapshot();
  REQUIRE(snapshot);
  CHECK(snapshot->info.scanned == core::Scanned::stop);
  CHECK(snapshot->info.stop.line == line);
}

const char* const kProducers = R"(import array, dlscope
class Odd:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **how): %s
def work():
    first, last = Odd(), bytearray(3)
    dlscope.stop()
    return last
work()
print('went on')
)";

std::string producers(const std::string& body) {
  std::string code = kProducers;
  return code.replace(code.find("%s"), 2, body);
}

}  // namespace

TEST_CASE("a producer that raises KeyboardInterrupt by itself takes the moment asked for from nobody", "[host][look]") {
  EACH_PYTHON(python);
  for (const auto& [at, line] : {std::pair{"8", 8U}, {"", 7U}, {"work:return", 8U}}) {
    INFO(at);
    Debugged d(python);
    std::string code = producers("raise KeyboardInterrupt('mine')");
    if (*at != '\0') code.replace(code.find("dlscope.stop()"), 14, "pass          ");
    start_at(d, at, code);
    check_ended_at(d, line);
    const core::SnapshotPtr snapshot = d.last_snapshot();
    CHECK(snapshot->tensors.size() == 2);
    CHECK(snapshot->find("last") != nullptr);
    CHECK_FALSE(was_told(d, "interrupted"));
    CHECK(d.host.out().empty());
  }
}

TEST_CASE("Stop ends the look at a moment, and what was found is shown", "[host][look]") {
  EACH_PYTHON(python);
  Debugged d(python);
  start_at(d, "", producers("print('asked', flush=True); [None for _ in iter(int, 1)]"));
  REQUIRE(d.host.wait_for_output("asked"));
  d.host.stop();
  const auto end = d.outcome();
  REQUIRE(end);
  CHECK(end->outcome == Outcome::finished);
  const auto scan = d.host.wait_for<core::wire::ScanFinished>();
  REQUIRE(scan);
  CHECK(scan->result == core::wire::ScanResult::stopped);
  CHECK(d.last_snapshot()->info.scanned == core::Scanned::stop);
  CHECK(d.last_snapshot()->info.stop.line == 7);
  CHECK(was_told(d, "The scan was interrupted"));
}

TEST_CASE("a moment ends the script although something catches what ends it", "[host][look]") {
  EACH_PYTHON(python);
  for (const char* code : {R"(def step(n):
    return n + 1
n = 0
while True:
    try:
        n = step(n)
    except:
        print('caught')
)",
                           R"(def step(n):
    return n + 1
import contextlib
for _ in range(3):
    with contextlib.suppress(BaseException):
        step(1)
print('went on')
)",
                           R"(def step(n):
    return n + 1
import threading
def run():
    try: step(1)
    except: print('caught')
    print('went on')
thread = threading.Thread(target=run)
thread.start()
try: thread.join()
except: print('caught')
print('went on')
)"}) {
    INFO(code);
    Debugged d(python);
    start_at(d, "2", code);
    check_ended_at(d, 2);
    CHECK_THAT(d.host.out(), !ContainsSubstring("went on"));
  }
}

TEST_CASE("before a script ends at a moment all that it has to do at its end runs", "[host][look]") {
  EACH_PYTHON(python);
  Debugged d(python);
  start_at(d, "14", R"(import asyncio, contextlib
class Guard:
    def __enter__(self): return self
    def __exit__(self, *error):
        a = 1
        print('left')
@contextlib.contextmanager
def managed():
    try: yield
    finally:
        b = 1
        print('closed')
async def work():
    x = 1
    return x
async def other():
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0)
        print('cancelled')
async def main():
    task = asyncio.ensure_future(other())
    await asyncio.sleep(0)
    with Guard(), managed():
        await work()
asyncio.run(main())
print('went on')
)");
  check_ended_at(d, 14);
  CHECK(d.host.out() == "closed\nleft\ncancelled\n");
}

TEST_CASE("a run with a line that is awaited ends when the threads of its script have", "[host][look]") {
  EACH_PYTHON(python);
  const std::string code = R"(import array, threading, time
def work(n):
    x = array.array('d', [n])
    time.sleep(0.2)
    print(f'worked {n}\n', end='')
for n in range(2): threading.Thread(target=work, args=(n,), name='worker').start()
from concurrent.futures import ThreadPoolExecutor
executor = ThreadPoolExecutor(2)
executor.submit(print, 'submitted').result()
threading.Thread(target=threading.Event().wait, daemon=True).start()
print('main ended')
)";
  SECTION("a moment in them is reached") {
    Debugged d(python);
    start_at(d, "5", code);
    check_ended_at(d, 5);
    CHECK(d.last_snapshot()->str(d.last_snapshot()->info.stop.thread) == "worker");
    CHECK(d.last_snapshot()->find("x") != nullptr);
  }
  SECTION("the main thread ends while one is scanned") {
    const std::string start = GENERATE(as<std::string>{}, "threading.Thread(target=work, args=(Slow(),)).start()",
                                       "threading.Thread(target=work, args=(Slow(),), daemon=True).start()",
                                       "from concurrent.futures import ThreadPoolExecutor; ThreadPoolExecutor().submit(work, Slow())");
    for (const auto& [at, line] : {std::pair{"13", 13U}, {"", 12U}}) {
      INFO(start << " " << at);
      Debugged d(python);
      const std::string before = R"(import threading, time, dlscope
scanning = threading.Event()
class Slow:
    def __dlpack_device__(self):
        scanning.set()
        time.sleep(0.5)
        return (1, 0)
    def __dlpack__(self, **how):
        dlscope.stop()  # within a scan: nothing
        raise BufferError
def work(slow, kept=bytearray(3)):
    )";
      const std::string after = "\n    return kept\n" + start + "\nscanning.wait()\n";
      start_at(d, at, before + (*at == '\0' ? "dlscope.stop()" : "pass") + after);
      check_ended_at(d, line);
      CHECK(d.last_snapshot()->find("kept") != nullptr);
    }
  }
  SECTION("so is a breakpoint") {
    Debugged d(python);
    d.breakpoint_at({Debugged::line(5, "n == 1")});
    d.start(code);
    CHECK(place_of(d.stopped()) == "work:5");
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK_THAT(d.host.out(), ContainsSubstring("main ended\n") && ContainsSubstring("worked 0\n") && ContainsSubstring("worked 1\n"));
    CHECK_FALSE(was_told(d, "waits for"));
  }
  SECTION("one that does not end is named, and Stop ends the waiting") {
    Debugged d(python);
    start_at(d, "3", R"(import threading
def never():
    pass
threading.Thread(target=threading.Event().wait, name='endless').start()
print('main ended')
)");
    while (!was_told(d, "Its run waits for the thread endless")) REQUIRE(d.host.wait_for<core::wire::Notice>());
    CHECK(d.host.out() == "main ended\n");
    d.host.stop();
    CHECK(d.finish() == Outcome::interrupted);
    REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  }
}
