// Stops: the user's code stands still at a breakpoint, after a step, on a pause, at an exception, and goes on.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "core/wire/script_file.h"
#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;
using core::wire::ResumeKind;
using core::wire::Stopped;
using core::wire::StopReason;

TEST_CASE("a breakpoint stops before its line, shows the stack and the locals, and goes on", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(7)});
  d.start(kHundredCalls);
  const Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::breakpoint);
  CHECK(stop.breakpoint == 7);
  CHECK(stop.thread == "MainThread");
  CHECK(functions_of(stop) == std::vector<std::string>{"outer", "<module>"});
  REQUIRE(stop.frames.size() == 2);
  CHECK(stop.frames[0].line == 7);
  CHECK(stop.frames[0].path == d.script);
  CHECK(stop.frames[0].user);
  CHECK(stop.frames[1].line == 12);
  CHECK(
      d.ask("evaluate", R"({"expressions": ["a", "n + 1", "nothing", "[a for _ in range(2)]"]})") ==
      R"({"values": [{"text": "1"}, {"text": "1"}, {"error": "NameError: name 'nothing' is not defined"}, {"text": "[1, 1]"}]})");
  CHECK(d.ask("evaluate", R"({"expressions": ["i"], "frame": 1})") == R"({"values": [{"text": "0"}]})");
  CHECK(d.host.region().header().phase.load() == static_cast<std::uint32_t>(core::wire::HostPhase::stopped));
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "total 10200\n");
}

TEST_CASE("steps over, into, out of calls, and to a line", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(12)});
  d.start(kHundredCalls);
  CHECK(place_of(d.stopped()) == "<module>:12");
  d.breakpoint_at({});
  d.resume(ResumeKind::step_into);
  Stopped stop = d.stopped();
  CHECK(place_of(stop) == "outer:6");
  CHECK(stop.reason == StopReason::step);
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "outer:7");
  d.resume(ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "inner:2");
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "inner:3");
  d.resume(ResumeKind::step_over);  // returns
  CHECK(place_of(d.stopped()) == "outer:8");
  d.resume(ResumeKind::step_out);
  CHECK(place_of(d.stopped()) == "<module>:11");
  d.resume(ResumeKind::run_to, 3);
  CHECK(place_of(d.stopped()) == "inner:3");
  d.resume(ResumeKind::run_to, 13);
  CHECK(place_of(d.stopped()) == "<module>:13");
  d.resume(ResumeKind::step_over);
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "total 10200\n");
}

// Before Python 3.11 a code object does not say in which function its class stands.
TEST_CASE("a run to a line stops there once, in the script and in a module of it, and says when it did not come there",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.host.folder().write("helper.py", "def twice(n):\n    m = n * 2\n    return m\n");
  const std::string code = "import helper\ntotal = 0\nfor i in range(3):\n\n    total += helper.twice(i)\nprint(total)\n";
  d.start(code, "4");  // has no code: the next line that has some
  Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::step);
  CHECK(place_of(stop) == "<module>:5");
  CHECK(d.ask("evaluate", R"({"expressions": ["i"]})") == R"({"values": [{"text": "0"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);  // not at the later iterations
  d.start(code, d.host.folder() / "helper.py" + ":3");
  stop = d.stopped();
  CHECK(place_of(stop) == "twice:3");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  const auto is_said = [&d](std::string_view said) {
    return std::ranges::any_of(d.host.messages, [said](const auto& message) {
      const auto* const notice = std::get_if<core::wire::Notice>(&message);
      return notice != nullptr && notice->text.starts_with(said);
    });
  };
  d.start(code, "40");
  CHECK(d.finish() == Outcome::finished);
  CHECK(is_said("Run to line 40: no line from 40 on has code"));
  d.start("def idle():\n    return 1\nprint()\n", "2");
  CHECK(d.finish() == Outcome::finished);
  CHECK(is_said("Run to line 2: the script ended without coming to it"));
}

TEST_CASE("methods with special names of a class that a function defines are stepped in, also in a script without a file",
          "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  core::wire::Run run;
  run.run = 1;
  run.source = R"(def main():
    class Job:
        def __init__(self):
            self.total = 1
    return Job()
main()
)";
  run.interactive_stops = true;
  auto call = Debugged::line(5);
  call.path = core::wire::kUnsavedScriptFile;
  d.breakpoint_at({call});
  d.host.send(run);
  CHECK(place_of(d.stopped()) == "main:5");
  d.resume(ResumeKind::step_into);
  const Stopped stop = d.stopped();
  CHECK_THAT(place_of(stop), Catch::Matchers::ContainsSubstring("__init__:4"));
  REQUIRE(stop.frames.size() >= 2);
  CHECK(stop.frames[0].user);
  d.breakpoint_at({});
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

// Both are text that a library runs under the name "<string>", which code from the command line has, too.
TEST_CASE("what dataclasses and namedtuples generate is not stepped in, and names no tensor", "[host][debugging]") {
  EACH_PYTHON(python);
  const std::string code = R"(import array
from collections import namedtuple
from dataclasses import dataclass
Pair = namedtuple('Pair', 'a b')
@dataclass
class Job:
    mean: object
    def __post_init__(self):
        self.total = sum(self.mean)
def main():
    pair = Pair(array.array('d', [1.0]), 2)
    job = Job(pair.a)
    return job
main()
)";
  for (const bool has_file : {true, false}) {
    INFO("with a file: " << has_file);
    Debugged d(python);
    core::wire::Run run;
    run.run = 1;
    if (has_file) run.path = d.host.folder().write("script.py", code);
    if (!has_file) run.source = code;
    run.interactive_stops = run.scan_after = true;
    auto first = Debugged::line(11);
    if (!has_file) first.path = core::wire::kUnsavedScriptFile;
    d.breakpoint_at({first});
    d.host.send(run);
    CHECK(place_of(d.stopped()) == "main:11");
    d.resume(ResumeKind::step_into);
    CHECK(place_of(d.stopped()) == "main:12");
    d.resume(ResumeKind::step_into);
    const Stopped stop = d.stopped();
    CHECK(place_of(stop) == "Job.__post_init__:9");
    REQUIRE(stop.frames.size() >= 3);
    CHECK(stop.frames[0].user);
    CHECK_FALSE(stop.frames[1].user);  // the generated __init__
    CHECK(stop.frames[2].user);
    const core::SnapshotPtr snapshot = d.last_snapshot();
    REQUIRE(snapshot->find("self.mean") != nullptr);
    CHECK(snapshot->name(*snapshot->find("self.mean")) == "self.mean");
    d.breakpoint_at({});
    d.resume();
    CHECK(d.finish() == Outcome::finished);
  }
}

TEST_CASE("a script stops again in the next run, and not in one without breakpoints", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(2)});
  for (int run = 0; run < 2; ++run) {
    d.start("x = 1\nx = 2\nx = 3\n");
    CHECK(place_of(d.stopped()) == "<module>:2");
    d.resume();
    CHECK(d.finish() == Outcome::finished);
  }
  d.breakpoint_at({});
  d.start("x = 1\nx = 2\nx = 3\n");
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a breakpoint on a line without code moves to the next that has some, and says so", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  core::wire::Breakpoint behind = Debugged::line(40), wrong = Debugged::line(5, "1 +");
  d.breakpoint_at({Debugged::line(2), behind, wrong});
  auto changed = d.host.wait_for<core::wire::BreakpointsChanged>();
  REQUIRE(changed);
  REQUIRE(changed->all.size() == 3);
  CHECK(changed->all[0].line == 0);
  CHECK(changed->all[2].message.starts_with("The condition is no expression"));
  d.start("x = 1\n\n# nothing\n\ny = 2\n");
  CHECK(place_of(d.stopped()) == "<module>:5");
  changed = last_states(d);
  REQUIRE(changed);
  CHECK(changed->all[0].line == 5);
  CHECK(changed->all[0].hits == 1);
  CHECK(changed->all[1].message == "No line from 40 on has code");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("functions and lambdas of one line stop when they are called, not where they are made", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(1)});
  d.start("def one(n): return n + 1\ng = lambda n: one(n)\nx = g(1)\nprint(x)\n");
  CHECK(place_of(d.stopped()) == "one:1");
  CHECK(d.ask("evaluate", R"({"expressions": ["n"]})") == R"({"values": [{"text": "1"}]})");
  d.breakpoint_at({});
  d.resume(ResumeKind::step_out);
  CHECK(d.stopped().frames[0].line >= 2);
  d.resume();
  CHECK(d.finish() == Outcome::finished);

  d.breakpoint_at({Debugged::line(3)});
  d.start("def one(n): return n + 1\ng = lambda n: one(n)\nx = g(1)\nprint(x)\n");
  CHECK(place_of(d.stopped()) == "<module>:3");
  d.breakpoint_at({});
  d.resume(ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "<lambda>:2");
  d.resume(ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "one:1");
  d.resume(ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "<module>:4");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("generators, recursion and coroutines are stepped through by their own frames", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(3)});
  d.start("def numbers():\n    for i in range(3):\n        yield i\n    done = True\n\nfor n in numbers():\n    print(n)\n");
  CHECK(place_of(d.stopped()) == "numbers:3");
  d.breakpoint_at({});
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "<module>:7");
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "<module>:6");
  d.resume(ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "numbers:2");
  d.resume();
  CHECK(d.finish() == Outcome::finished);

  d.breakpoint_at({Debugged::line(4, "n == 2")});
  d.start("def down(n):\n    if n == 0:\n        return 0\n    below = down(n - 1)\n    return below + 1\n\nprint(down(4))\n");
  CHECK(place_of(d.stopped()) == "down:4");
  d.breakpoint_at({});
  d.resume(ResumeKind::step_over);  // over the deeper calls of the same code
  CHECK(place_of(d.stopped()) == "down:5");
  CHECK(d.ask("evaluate", R"({"expressions": ["n", "below"]})") == R"({"values": [{"text": "2"}, {"text": "1"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);

  d.breakpoint_at({Debugged::line(4)});
  d.start(
      "import asyncio\nasync def work(n):\n    a = n\n    await asyncio.sleep(0.01)\n    b = a + 1\n    return b\n"
      "async def main():\n    return sum(await asyncio.gather(work(1), work(10)))\nprint(asyncio.run(main()))\n");
  CHECK(place_of(d.stopped()) == "work:4");
  d.breakpoint_at({});
  d.resume(ResumeKind::step_over);  // the other task runs meanwhile
  CHECK(place_of(d.stopped()) == "work:5");
  CHECK(d.ask("evaluate", R"({"expressions": ["n"]})") == R"({"values": [{"text": "1"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("an exception stops where the user's code meets it first, and once", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({}, true);
  d.start(
      "import json\ndef parse(text):\n    return json.loads(text)\ndef main():\n    try:\n        parse('{')\n    except "
      "ValueError:\n"
      "        pass\n    for i in [1]: pass\n    next(iter([]), None)\n    raise KeyError('end')\nmain()\n");
  Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::raised);
  CHECK(place_of(stop) == "parse:3");
  CHECK(stop.message.starts_with("JSONDecodeError: "));
  d.resume();
  stop = d.stopped();
  CHECK(place_of(stop) == "main:11");
  CHECK(stop.message == "KeyError: 'end'");
  d.resume();
  CHECK(d.finish() == Outcome::raised);
}

TEST_CASE("a stop at an exception runs nothing of the user's class", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({}, true);
  d.start(R"(class Told(Exception):
    @property
    def __class__(self): print('class')
    @property
    def __traceback__(self): print('traceback')
    def __str__(self): print('str'); return 'told'
class Shown:
    def __str__(self): print('shown'); return 'shown'
    __repr__ = __str__
for error in (Told('why'), Told(1), Told(), ValueError(Shown()), OSError(2, 'gone', 'x.bin')):
    try: raise error
    except Exception: pass
)");
  for (const char* message : {"Told: why", "Told", "Told", "ValueError", "FileNotFoundError: [Errno 2] gone: 'x.bin'"}) {
    const Stopped stop = d.stopped();
    CHECK(stop.reason == StopReason::raised);
    CHECK(stop.message == message);
    d.resume();
  }
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out().empty());
}

TEST_CASE("a pause stops a loop, and a breakpoint set while it runs too", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const char* const loop =
      "def spin():\n    print('on', flush=True)\n    going = True\n    n = 0\n    while going:\n        n += 1\n        m = n\n"
      "    return n\nprint(spin() > 0)\n";
  d.start(loop);
  REQUIRE(d.host.wait_for_output("on\n"));
  d.host.send(core::wire::Pause{});
  Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::pause);
  CHECK(stop.frames[0].function == "spin");
  d.resume();
  d.breakpoint_at({Debugged::line(7)});
  stop = d.stopped();
  CHECK(stop.reason == StopReason::breakpoint);
  CHECK(place_of(stop) == "spin:7");
  d.breakpoint_at({});
  CHECK(d.console("going = False")->outcome == Outcome::finished);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "on\nTrue\n");
}

TEST_CASE("breakpoint() and dlscope.stop() stop where they stand", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start("import dlscope\ndef f(n):\n    breakpoint()\n    dlscope.stop()\n    return n\nprint(f(3))\n");
  Stopped stop = d.stopped();
  CHECK(stop.reason == StopReason::call);
  CHECK(place_of(stop) == "f:3");
  d.resume();
  CHECK(place_of(d.stopped()) == "f:4");
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "f:5");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "3\n");
}
