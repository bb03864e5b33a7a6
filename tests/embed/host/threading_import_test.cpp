// `threading` takes the thread that imports it first for Python's main thread (before 3.13): none of dlscope's may be that one.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

namespace dlscope::tests {
namespace {

using core::Outcome;
using core::wire::StopReason;

// While it sleeps, a thread of dlscope's takes what the viewer asks for.
const std::string kSleeps = "import sys, time\nprint('threading' in sys.modules, flush=True)\ntime.sleep(1.5)\nimport threading\n";
constexpr const char* kTellsMainThread =
    "main = threading.main_thread()\n"
    "print(main is threading.current_thread(), main.is_alive(), threading.current_thread().name)\n"
    "import asyncio, signal\n"
    "async def handler():\n    return signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    "print('before', signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"
    "print('asyncio', asyncio.run(handler()))\n";

// As `print` says it when nobody looks on.
std::string alone(const TestPython& python) {
  Debugged d(python);
  d.start(kSleeps + kTellsMainThread);
  CHECK(d.finish() == Outcome::finished);
  return d.host.out();
}

}  // namespace

TEST_CASE("a pause while the main thread waits leaves it the main thread of `threading`", "[host][debugging][threading]") {
  EACH_PYTHON(python);
  const std::string expected = alone(python);
  REQUIRE(expected.starts_with("False\nTrue True MainThread\n"));
  Debugged d(python);
  d.start(kSleeps + kTellsMainThread);
  REQUIRE(d.host.wait_for_output("False\n"));
  d.host.send(core::wire::Pause{});
  const auto stop = d.stopped();
  CHECK(stop.reason == StopReason::pause);
  CHECK(stop.thread == "MainThread");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == expected);
}

TEST_CASE("stops at uncaught exceptions that are chosen while the main thread waits leave it the main thread, and stop",
          "[host][debugging][threading]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(kSleeps + "def work():\n    raise ValueError('no')\nthread = threading.Thread(target=work, name='late')\nthread.start()\nthread.join()\n" +
          kTellsMainThread);
  REQUIRE(d.host.wait_for_output("False\n"));
  d.stop_on_uncaught();
  REQUIRE(d.host.wait_for<core::wire::BreakpointsChanged>());
  const auto stop = d.stopped();
  CHECK(stop.reason == StopReason::uncaught);
  CHECK(stop.thread == "late");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out().starts_with("False\nTrue True MainThread\n"));
}

TEST_CASE("a thread that does not come from `threading` is not called the main thread", "[host][debugging][threading]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3)});
  d.start("import _thread, time\ndef work():\n    n = 1\n    over.release()\nover = _thread.allocate_lock()\nover.acquire()\n"
          "_thread.start_new_thread(work, ())\nover.acquire()\n");
  CHECK(d.stopped().thread == "a thread that Python did not start");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

}  // namespace dlscope::tests
