// A Stop that reaches the host when what it was meant for has ended: the script that stands behind it stands on.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <variant>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/work_steps.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::WorkOutcome;
using namespace std::string_literals;

namespace {

constexpr const char* kFunctions =
    "import time\ndef hang():\n    print('hangs', flush=True)\n    while True: pass\ndef work(n):\n    return n\n";
constexpr const char* kCalls[] = {"work(3)\n",
                                  "import threading\nt = threading.Thread(target=work, args=(3,))\nt.start()\nt.join()\n"};

// hold() ends when a file is there, whatever interrupts it.
const std::string kHold =
    "import os, time\ndef hold():\n    print('holds', flush=True)\n    while True:\n        try:\n"
    "            while not os.path.exists('gate'): time.sleep(.01)\n            return 1\n"
    "        except KeyboardInterrupt: pass\ndef work(n):\n    return n\n";
constexpr std::uint32_t kLineInWork = 12;

// p's export never ends while a file is there.
const std::string kProducer =
    "import dlscope, os, time\nmemory = bytearray(64)\nclass Producer:\n"
    "    def __dlpack_device__(self): return (1, 0)\n"
    "    def __dlpack__(self, **how):\n"
    "        if os.path.exists(gate):\n"
    "            print('asked', flush=True)\n"
    "            while True: time.sleep(.01)\n"
    "        return dlscope.asdlpack(memory).__dlpack__(**how)\n"
    "gate = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gate')\np = Producer()\n";

core::wire::Ask evaluate(std::uint64_t id, const std::string& expression) {
  return {id, "evaluate", R"({"expressions": [")" + expression + R"("]})"};
}

}  // namespace

TEST_CASE("a Stop for a watch that has ended does not end the script, at the stop of any thread", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  for (const char* call : kCalls) {
    INFO(call);
    d.start(std::string{kFunctions} + call + "print('over')\n");
    d.stopped();
    d.host.send(evaluate(7, "hang()"));
    REQUIRE(d.host.wait_for_output("hangs\n"));
    d.host.stop(7);
    d.host.stop(7);  // of a double click
    const auto answer = d.host.wait_for<core::wire::Answer>();
    REQUIRE(answer);
    CHECK_THAT(answer->text, ContainsSubstring("KeyboardInterrupt: stopped before"));
    d.host.stop(7);
    d.host.stop(0, 5);  // of a console line that has never been there
    CHECK(d.console("n = 4; n")->outcome == Outcome::finished);
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK_THAT(d.host.out(), ContainsSubstring("over"));
    std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  }
}

TEST_CASE("a Stop for a scan at a stop ends that scan, and the script stands on when it has ended", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(12)});
  d.start(kProducer + "work = 1\nprint('over')\n");
  d.stopped();
  const auto ended = [&](std::uint64_t request) {
    while (const auto end = d.host.wait_for<core::wire::ScanFinished>())
      if (end->request == request) return end->result;
    return core::wire::ScanResult::failed;
  };
  d.host.send(core::wire::Scan{5});
  CHECK(ended(5) == core::wire::ScanResult::complete);
  const core::wire::Interrupt of_scan{1, 0, 0, 5};
  d.host.send(of_scan);
  std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  d.host.folder().write("gate", "");
  d.host.send(core::wire::Scan{6});
  REQUIRE(d.host.wait_for_output("asked"));
  d.host.send(core::wire::Scan{7});  // waits behind it
  d.host.send(core::wire::Interrupt{1, 0, 0, 7});
  CHECK(ended(7) == core::wire::ScanResult::stopped);
  d.host.send(of_scan);
  d.host.send(core::wire::Interrupt{1, 0, 0, 6});
  CHECK(ended(6) == core::wire::ScanResult::stopped);
  d.host.send(core::wire::Interrupt{1, 0, 0, 6});
  CHECK(d.console("n = 4; n")->outcome == Outcome::finished);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK_THAT(d.host.out(), ContainsSubstring("over"));
}

TEST_CASE("a Stop ends a watch that still waits, and none of the others", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  d.start(std::string{kFunctions} + kCalls[0]);
  d.stopped();
  d.host.send(evaluate(7, "hang()"));
  REQUIRE(d.host.wait_for_output("hangs\n"));
  d.host.send(evaluate(8, "n"));
  d.host.stop(8);
  const auto waited = d.host.wait_for<core::wire::Answer>();
  REQUIRE(waited);
  CHECK(waited->id == 8);
  CHECK(waited->error == core::wire::kAnswerStopped);
  d.host.stop(7);
  const auto hung = d.host.wait_for<core::wire::Answer>();
  REQUIRE(hung);
  CHECK(hung->id == 7);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a Stop for console code at a stop ends that code alone", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  for (const char* call : kCalls) {
    INFO(call);
    d.start(std::string{kFunctions} + call + "print('over')\n");
    const core::wire::Stopped stop = d.stopped();
    core::wire::Run run;
    run.run = 99;
    run.source = "hang()";
    run.fresh_namespace = run.scan_after = false;
    run.stop = stop.stop;
    d.host.send(run);
    REQUIRE(d.host.wait_for_output("hangs\n"));
    d.host.stop(0, 98);  // of another line
    d.host.stop(0, 99);
    d.host.stop(0, 99);
    CHECK(d.finish() == Outcome::interrupted);
    d.host.stop(0, 99);
    CHECK(d.console("n = 4; n")->outcome == Outcome::finished);
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK_THAT(d.host.out(), ContainsSubstring("over"));
    std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  }
}

// The Stop comes before, during and after the short expression: each question gets its answer, and the script never ends.
TEST_CASE("Stops at any moment of many short watches leave the script standing", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  for (const char* call : kCalls) {
    INFO(call);
    d.start(std::string{kFunctions} + call + "print('over')\n");
    d.stopped();
    for (std::uint64_t id = 100; id < 160; ++id) {
      d.host.send(evaluate(id, "sum(1 for _ in range(300))"));
      std::this_thread::sleep_for(std::chrono::microseconds(id * 37 % 1000));
      d.host.stop(id);
      const auto answer = d.host.wait_for<core::wire::Answer>();
      REQUIRE(answer);
      CHECK(answer->id == id);
    }
    CHECK(d.ask("evaluate", R"({"expressions": ["n"]})") == R"({"values": [{"text": "3"}]})");
    d.resume();
    CHECK(d.finish() == Outcome::finished);
    CHECK_THAT(d.host.out(), ContainsSubstring("over"));
    std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  }
}

TEST_CASE("a Stop ends a console line that waits behind a watch: its scan ends, too, and the watches after it are left alone",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(kLineInWork)});
  d.start("import os\nos.chdir(os.path.dirname(os.path.abspath(__file__)))\n"s + kHold + kCalls[0]);
  const core::wire::Stopped stop = d.stopped();
  d.host.send(evaluate(7, "hold()"));
  REQUIRE(d.host.wait_for_output("holds\n"));
  core::wire::Run run;
  run.run = 99;
  run.source = "n";
  run.fresh_namespace = false;
  run.scan_after = true;
  run.stop = stop.stop;
  d.host.send(run);
  d.host.stop(0, 99);
  const auto ended = d.host.wait_for<core::wire::RunFinished>();
  REQUIRE(ended);
  CHECK(ended->run == 99);
  CHECK(ended->outcome.outcome == Outcome::interrupted);
  const auto scan = d.host.wait_for<core::wire::ScanFinished>();
  REQUIRE(scan);
  CHECK(scan->request == 0);
  d.host.folder().write("gate", "");
  REQUIRE(d.host.wait_for<core::wire::Answer>());
  // Longer than a question may keep a Run waiting: none waits any more.
  CHECK(d.ask("evaluate", R"x({"expressions": ["time.sleep(.8)"]})x") == R"({"values": [{"text": "None"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a Stop for a question that waits behind an act ends the act, too", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kProducer);
  host.folder().write("gate", "");
  host.send(core::wire::Start{1, core::wire::Hold{ref_to(snapshot, "p"), false}});
  REQUIRE(host.wait_for_output("asked"));
  host.send(core::wire::Ask{8, "complete", R"({"text": "p."})"});
  host.stop(8);
  const auto answer = host.wait_for<core::wire::Answer>();
  REQUIRE(answer);
  CHECK(answer->id == 8);
  CHECK(answer->error == core::wire::kAnswerStopped);
  // The act may have ended before the answer was on its way.
  const auto is_end = [](const core::wire::ToViewer& message) { return std::holds_alternative<core::wire::WorkEnded>(message); };
  const auto end = std::ranges::find_if(host.messages, is_end);
  const core::wire::WorkEnded ended = end != host.messages.end() ? std::get<core::wire::WorkEnded>(*end) : end_of(host, 1);
  CHECK(ended.outcome != WorkOutcome::done);
}

TEST_CASE("a Stop for a run that waits behind an act ends the act, and the run does not begin", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kProducer);
  host.folder().write("gate", "");
  host.send(core::wire::Start{1, core::wire::Hold{ref_to(snapshot, "p"), false}});
  REQUIRE(host.wait_for_output("asked"));
  core::wire::Run waiting;
  waiting.run = 50;
  waiting.source = "print('began', flush=True)";
  waiting.fresh_namespace = false;
  host.send(waiting);
  host.stop(0, waiting.run);
  const auto ended = host.wait_for<core::wire::RunFinished>();
  REQUIRE(ended);
  CHECK(ended->run == waiting.run);
  CHECK(ended->outcome.outcome == Outcome::interrupted);
  REQUIRE(host.wait_for<core::wire::ScanFinished>());
  std::filesystem::remove(host.folder().path() / "gate");
  REQUIRE(console(host, "print('after', flush=True)"));  // when the act has ended
  CHECK(host.out() == "asked\nafter\n");
  const auto is_end = [](const core::wire::ToViewer& message) { return std::holds_alternative<core::wire::WorkEnded>(message); };
  const auto end = std::ranges::find_if(host.messages, is_end);
  REQUIRE(end != host.messages.end());
  CHECK(std::get<core::wire::WorkEnded>(*end).outcome != WorkOutcome::done);
}

TEST_CASE("a Stop for a run that began meanwhile ends it, also at a stop, and one that comes later does nothing",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6)});
  for (std::uint64_t run : {1, 2}) {
    INFO(run);
    const bool stands = run == 2;
    d.start(std::string{kFunctions} + (stands ? "work(3)\nhang()\n" : "hang()\n"));
    if (stands)
      d.stopped();
    else
      REQUIRE(d.host.wait_for_output("hangs\n"));
    d.host.stop(0, run + 70);
    d.host.stop(0, run);
    CHECK(d.finish() == Outcome::interrupted);
    REQUIRE(d.host.wait_for<core::wire::ScanFinished>());
    d.host.stop(0, run);
  }
  d.start("print('over')\n");
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("Stop ends our own work after a script that ignores SIGINT, and leaves that as it is", "[host][work]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  const auto snapshot = look_after(host, kProducer + "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n");
  host.folder().write("gate", "");
  host.send(core::wire::Start{1, core::wire::Hold{ref_to(snapshot, "p"), false}});
  REQUIRE(host.wait_for_output("asked"));
  host.stop();
  CHECK(end_of(host, 1).outcome != WorkOutcome::done);
  std::filesystem::remove(host.folder().path() / "gate");
  std::filesystem::resize_file(host.folder().path() / "stdout", 0);
  core::wire::Run console;
  console.source = "print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)";
  console.fresh_namespace = false;
  REQUIRE(host.run(console));
  CHECK(host.out() == "True\n");
}
