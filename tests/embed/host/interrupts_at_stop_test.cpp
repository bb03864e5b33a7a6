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
    "import asyncio, ctypes, signal, threading, time\nseen = []\ndef hang():\n    print('hangs', flush=True)\n"
    "    while True: pass\ndef work(n):\n    return n\n";
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

TEST_CASE("going on from a stop where an expression hangs is not seen by the script's own handling of SIGINT",
          "[host][debugging]") {
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

TEST_CASE("at a worker's stop Stop and Continue end what hangs there while the main thread stands, too", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  d.options(true, false);
  d.start(kFunctions + "t = threading.Thread(target=work, args=(3,))\nt.start()\nwhile t.is_alive(): time.sleep(.01)\n"
                       "print('over')\n");
  const core::wire::Stopped stop = d.stopped();
  stop_what_hangs(d);
  clear_output(d);
  core::wire::Run run;
  run.run = 99;
  run.source = "hang()";
  run.fresh_namespace = run.scan_after = false;
  run.stop = stop.stop;
  d.host.send(run);
  REQUIRE(d.host.wait_for_output("hangs\n"));
  d.host.stop(0, 99);
  CHECK(d.finish() == Outcome::interrupted);
  clear_output(d);
  d.host.send(evaluate(8, "hang()"));
  REQUIRE(d.host.wait_for_output("hangs\n"));
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("over"));
}

// The main thread waits in C code that no signal ends and that does not look at signals, until the worker goes on.
TEST_CASE("a Stop at a worker's stop never reaches the main thread", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  d.start(kFunctions +
          "c, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)\n"
          "def worker():\n    work(3)\n    c.pthread_mutex_unlock(mutex)\n"
          "c.pthread_mutex_lock(mutex)\nt = threading.Thread(target=worker)\nt.start()\nc.pthread_mutex_lock(mutex)\n"
          "for i in range(1000): pass\nt.join()\nprint('over')\n");
  d.stopped();
  d.host.send(evaluate(7, "print('on', flush=True) or time.sleep(.3)"));
  REQUIRE(d.host.wait_for_output("on\n"));
  d.host.stop(7);
  REQUIRE(d.host.wait_for<core::wire::Answer>());
  stop_what_hangs(d);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("over"));
}

TEST_CASE("Stop reaches the script after a stop that began while the main thread took breakpoints", "[host][debugging]") {
  EACH_PYTHON(python);
  for (int round = 0; round < 3; ++round) {
    Debugged d(python);
    d.start(
        "import threading\ndef work():\n    while True:\n        x = 1\n        y = 2\n"
        "threading.Thread(target=work, daemon=True).start()\nprint('on', flush=True)\nwhile True: z = 3\n");
    REQUIRE(d.host.wait_for_output("on\n"));
    d.breakpoint_at({Debugged::line(4)});
    d.stopped();
    d.breakpoint_at({});
    d.resume();
    d.host.stop();
    CHECK(d.finish() == Outcome::interrupted);
  }
}

// The Stop comes before, during and after our own steps around the expression.
TEST_CASE("each question at a worker's stop is answered, whenever its Stop comes", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  d.start(kFunctions + "t = threading.Thread(target=work, args=(3,))\nt.start()\nt.join()\nprint('over')\n");
  const core::wire::Stopped stop = d.stopped();
  for (std::uint64_t id = 100; id < 400; ++id) {
    d.host.send(evaluate(id, "n + 1"));
    d.host.stop(id);
    const auto answer = d.host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    CHECK(answer->id == id);
  }
  for (std::uint64_t id = 400; id < 500; ++id) {
    core::wire::Run run;
    run.run = id;
    run.source = "n + 1";
    run.fresh_namespace = run.scan_after = false;
    run.stop = stop.stop;
    d.host.send(run);
    d.host.stop(0, id);
    const auto end = d.host.wait_for<core::wire::RunFinished>();
    REQUIRE(end);
    CHECK(end->run == id);
  }
  CHECK(d.ask("evaluate", R"({"expressions": ["n"]})") == R"({"values": [{"text": "3"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("over"));
}

TEST_CASE("a Stop of a scan at a worker's stop is no failure of the scan", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  d.start(kFunctions + "def worker():\n    made = [bytearray(8) for _ in range(20000)]\n    return work(made)\n"
                       "t = threading.Thread(target=worker)\nt.start()\nt.join()\n");
  const core::wire::Stopped stop = d.stopped();
  d.host.send(core::wire::Scan{5});
  const auto& phase = d.host.region().header().phase;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto scanning = static_cast<std::uint32_t>(core::wire::HostPhase::scanning);
  while (phase.load() != scanning && std::chrono::steady_clock::now() < give_up) {
  }
  d.host.stop();
  REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
  d.host.send(core::wire::Resume{stop.stop, core::wire::ResumeKind::go, {}, 0});
  REQUIRE(d.host.wait_for<core::wire::RunFinished>());
  for (const auto& message : d.host.messages) {
    if (const auto* notice = std::get_if<core::wire::Notice>(&message)) CHECK_THAT(notice->text, !ContainsSubstring("failed"));
  }
}

TEST_CASE("a handler of the script's waits while it stands at a stop, and may raise when it goes on", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  d.start(kFunctions +
          "def handler(*_):\n    seen.append(1)\n    raise RuntimeError('too late')\nsignal.signal(signal.SIGALRM, handler)\n"
          "try:\n    work(3)\n    for _ in range(3): pass\nexcept RuntimeError as error:\n    seen.append(str(error))\nprint('over', seen)\n");
  d.stopped();
  d.host.send(evaluate(7, "(signal.raise_signal(signal.SIGALRM), seen)"));
  const auto answer = d.host.wait_for<core::wire::Answer>();
  REQUIRE(answer);
  CHECK_THAT(answer->text, ContainsSubstring("(None, [])"));
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("over [1, 'too late']\n"));
}
