// Stop, or Continue, while an expression or a scan runs at a stop: what runs there is interrupted, and nothing of the script's.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;

namespace {

const std::string kFunctions =
    "import asyncio, ctypes, signal, threading, time\nseen = []\ndef hang():\n    print('hangs', flush=True)\n    while True: pass\n"
    "def work(n):\n    return n\n";
constexpr std::uint32_t kLineInWork = 7;

// How scripts handle SIGINT. Each calls work() in the main thread.
constexpr const char* kHandlers[] = {
    "async def main():\n    work(3)\n    await asyncio.sleep(0)\nasyncio.run(main())\n",
    "async def main():\n    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, seen.append, 1)\n    work(3)\n"
    "    await asyncio.sleep(.05)\nasyncio.run(main())\n",
    "signal.signal(signal.SIGINT, lambda *a: seen.append(1))\nmine = signal.getsignal(signal.SIGINT)\nwork(3)\n"
    "if signal.getsignal(signal.SIGINT) is not mine: seen.append('another handler')\n",
    "signal.signal(signal.SIGINT, signal.SIG_IGN)\nwork(3)\n"
    "if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN: seen.append('another handler')\n"};

core::wire::Ask evaluate(std::uint64_t id, const std::string& expression) {
  return {id, "evaluate", R"({"expressions": [")" + expression + R"("]})"};
}

void clear_output(Debugged& d) { std::filesystem::resize_file(d.host.folder().path() / "stdout", 0); }

void stop_what_hangs(Debugged& d) {
  d.host.send(evaluate(7, "hang()"));
  REQUIRE(d.host.wait_for_output("hangs\n"));
  d.host.stop(7);
  const auto answer = d.host.wait_for<core::wire::Answer>();
  REQUIRE(answer);
  CHECK_THAT(answer->text, ContainsSubstring("KeyboardInterrupt: stopped before"));
}

}  // namespace

TEST_CASE("a Stop at a stop is not seen by the script's own handling of SIGINT", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  for (const char* handler : kHandlers) {
    INFO(handler);
    d.start(kFunctions + handler + "print('over', seen)\n");
    d.stopped();
    stop_what_hangs(d);
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK_THAT(d.host.out(), ContainsSubstring("over []\n"));
    clear_output(d);
  }
}

TEST_CASE("going on from a stop where an expression hangs is not seen by the script's own handling of SIGINT", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  for (const char* handler : kHandlers) {
    INFO(handler);
    d.start(kFunctions + handler + "print('over', seen)\n");
    d.stopped();
    d.host.send(evaluate(7, "hang()"));
    REQUIRE(d.host.wait_for_output("hangs\n"));
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK_THAT(d.host.out(), ContainsSubstring("over []\n"));
    clear_output(d);
  }
}

TEST_CASE("a handler of SIGINT that console code at a stop installs stays", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  d.start(kFunctions + "signal.signal(signal.SIGINT, lambda *a: None)\nwork(3)\n"
                       "print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)\n");
  d.stopped();
  CHECK(d.console("signal.signal(signal.SIGINT, signal.SIG_IGN)")->outcome == Outcome::finished);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("True\n"));
}

TEST_CASE("Stop reaches the script after a stop that began while the main thread took breakpoints", "[host][debugging]") {
  EACH_PYTHON(python);
  for (int round = 0; round < 3; ++round) {
    Debugged d(python);
    d.start(
        "import threading\ndef work():\n    while True:\n        x = 1\n        y = 2\nthreading.Thread(target=work, daemon=True).start()\n"
        "print('on', flush=True)\nwhile True: z = 3\n");
    REQUIRE(d.host.wait_for_output("on\n"));
    d.breakpoint_at({Debugged::line(4)});
    d.stopped();
    d.breakpoint_at({});
    d.resume();
    d.host.stop();
    CHECK(d.finish() == Outcome::interrupted);
  }
}
