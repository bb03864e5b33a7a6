// What a breakpoint asks before it stops: its condition, its hit count, its log text; how often a line comes by.
#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;
using core::wire::ResumeKind;
using core::wire::Stopped;
using core::wire::StopReason;

TEST_CASE("a condition, a hit count and a log text", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  auto log = Debugged::line(3);
  log.log_text = "m is {m} \\n {'é'!r:>5}";
  log.condition = "m < 3";
  d.breakpoint_at({Debugged::line(12, "i == 37"), log});
  d.start(kHundredCalls);
  CHECK(place_of(d.stopped()) == "<module>:12");
  CHECK(d.ask("evaluate", R"({"expressions": ["i", "total"]})") == R"({"values": [{"text": "37"}, {"text": "1443"}]})");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "m is 1 \\n   'é'\nm is 2 \\n   'é'\nm is 2 \\n   'é'\ntotal 10200\n");

  auto hit = Debugged::line(12);
  hit.hit = 99;
  d.breakpoint_at({hit});
  d.start(kHundredCalls);
  d.stopped();
  CHECK(d.ask("evaluate", R"({"expressions": ["i"]})") == R"({"values": [{"text": "98"}]})");
  d.resume();
  d.stopped();
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a log text may hold and end in quotes and backslashes", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  for (const std::string text : {R"(C:\data\)", R"(says ")", R"(says """)", "it's '", "'''", R"(""" and ')", R"(\\)"}) {
    INFO(text);
    auto log = Debugged::line(2);
    log.log_text = text + "{n}" + text;
    d.breakpoint_at({log});
    const std::size_t before = d.host.out().size();
    d.start("n = 7\nn += 1\n");
    CHECK(d.finish() == Outcome::finished);
    CHECK(d.host.out().substr(before) == text + "7" + text + "\n");
  }
}

// From 3.12 on Python says that a line is reached once, however often a loop on it goes round; a debugger's trace function before hears of
// each.
TEST_CASE("a loop on one line comes by its breakpoint at every iteration, a comprehension once", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  const auto hits_of = [&](const std::string& line) {
    INFO(line);
    auto breakpoint = Debugged::line(3);
    breakpoint.log_text = "came";
    d.breakpoint_at({breakpoint});
    const std::size_t before = d.host.out().size();
    d.start("def work(n):\n    i = 0\n    " + line + "\n    return i\nwork(3)\n");
    CHECK(d.finish() == Outcome::finished);
    const std::string out = d.host.out().substr(before);
    std::size_t hits = 0;
    for (std::size_t at = 0; (at = out.find("came\n", at)) != std::string::npos; ++at) ++hits;
    return hits;
  };
  // The line is reached once more than there are iterations: there the loop ends.
  CHECK(hits_of("for i in range(n): abs(i)") == 4);
  CHECK(hits_of("for i in range(n): i = i or i; continue") == 4);
  CHECK(hits_of("for i in range(n): break") == 1);
  CHECK(hits_of("while n: n -= 1") == (python.minor > 9 ? 3 : 4));  // 3.9 tests at the beginning, what came later at the end
  CHECK(hits_of("i = [abs(v) for v in range(n)]") == 1);
  CHECK(hits_of("i = {v: w for v in range(n) for w in range(v)}") == 1);
  CHECK(hits_of("for i in range(n): [abs(w) for v in range(n) for w in [v]]; [v for v in range(n) if v]") == 4);
  CHECK(hits_of("for i in [abs(v) for v in range(n)]: i") == 4);
  // A step goes to the next iteration, whether the breakpoint stops there or not.
  d.breakpoint_at({Debugged::line(3, "i == 1")});
  d.start("def work(n):\n    i = 0\n    for i in range(n): abs(i)\n    return i\nwork(3)\n");
  CHECK(place_of(d.stopped()) == "work:3");
  CHECK(d.ask("evaluate", R"({"expressions": ["i"]})") == R"({"values": [{"text": "1"}]})");
  for (const char* const place : {"work:3", "work:4"}) {
    d.resume(ResumeKind::step_over);
    CHECK(place_of(d.stopped()) == place);
  }
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a condition that never ends is ended by Stop", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(5, "hang()")});
  d.start("def hang():\n    print('hangs', flush=True)\n    while True: pass\nx = 1\ny = 2\n");
  REQUIRE(d.host.wait_for_output("hangs\n"));
  d.host.stop();
  CHECK(d.finish() == Outcome::interrupted);
}

TEST_CASE("a condition that raises stops and says so", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(2, "nothing > 1")});
  d.start("x = 1\ny = 2\n");
  CHECK(d.stopped().message == "The condition raised NameError: name 'nothing' is not defined");
  REQUIRE(last_states(d));
  CHECK(last_states(d)->all[0].message == "The condition raised NameError: name 'nothing' is not defined");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a step over the line of a def is no hit of the breakpoint in the function", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(1), Debugged::line(2, "x > 3")});
  d.start("y = 1\ndef f(x): return x * 2\nz = f(1)\nz = f(4)\n");
  CHECK(place_of(d.stopped()) == "<module>:1");
  d.resume(ResumeKind::step_over);
  Stopped stop = d.stopped();
  CHECK(place_of(stop) == "<module>:2");
  CHECK(stop.reason == StopReason::step);
  CHECK(stop.message.empty());
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "<module>:3");
  d.resume();
  stop = d.stopped();
  CHECK(place_of(stop) == "f:2");
  CHECK(stop.reason == StopReason::breakpoint);
  d.resume();
  CHECK(d.finish() == Outcome::finished);
}
