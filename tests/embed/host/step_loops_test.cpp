// Steps where a loop, a comprehension or a function stands on one line.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;
using core::wire::ResumeKind;
using core::wire::StopReason;

namespace {

using Places = std::vector<std::string>;

// Where these steps come to, from a breakpoint on the line.
Places places_of(const TestPython& python, const std::string& code, std::uint32_t line, const std::vector<ResumeKind>& steps) {
  Debugged d(python);
  d.breakpoint_at({Debugged::line(line)});
  d.start(code);
  Places places{place_of(d.stopped())};
  d.breakpoint_at({});
  for (const ResumeKind step : steps) {
    d.resume(step);
    places.push_back(place_of(d.stopped()));
  }
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  return places;
}

Places steps_over(const TestPython& python, const std::string& code, std::uint32_t line, std::size_t count) {
  return places_of(python, code, line, std::vector<ResumeKind>(count, ResumeKind::step_over));
}

std::string in_function(const std::string& line) { return "def work(n):\n    i = 0\n    " + line + "\n    return i\nwork(2)\n"; }

}  // namespace

TEST_CASE("a step over a loop on one line stands at its next iteration, as in pdb", "[host][debugging][steps]") {
  EACH_PYTHON(python);
  // Once more than there are iterations: there the loop ends.
  const Places each{"work:3", "work:3", "work:3", "work:4"};
  CHECK(steps_over(python, in_function("for i in range(n): abs(i)"), 3, 3) == each);
  CHECK(steps_over(python, in_function("for i in range(n): [abs(w) for w in range(3)]"), 3, 3) == each);
  CHECK(steps_over(python, in_function("for i in range(5): break"), 3, 1) == Places{"work:3", "work:4"});
  // 3.9 tests at the beginning of each iteration, what came later at its end.
  const Places tested = python.minor > 9 ? Places{"work:3", "work:3", "work:4"} : each;
  CHECK(steps_over(python, in_function("while n: n -= 1"), 3, tested.size() - 1) == tested);
  // The body alone is one line. In 3.9 the line before it, which tests nothing, has no code.
  CHECK(steps_over(python, "def work(n):\n    while True:\n        if (n := n - 1) < 0: break\n    return n\nwork(2)\n", 3, 3) ==
        (python.minor > 9 ? Places{"work:3", "work:2", "work:3", "work:2"} : each));
  CHECK(steps_over(python, "n = 2\nfor i in range(n): abs(i)\nprint(n)\n", 2, 3) ==
        Places{"<module>:2", "<module>:2", "<module>:2", "<module>:3"});
}

TEST_CASE("a step over a comprehension leaves its line", "[host][debugging][steps]") {
  EACH_PYTHON(python);
  for (const char* const line : {"i = [abs(v) for v in range(3)]", "i = {v: w for v in range(3) for w in range(v)}",
                                 "i = sum(v for v in range(3))", "i = [[w for w in range(2)] for v in range(3)]"}) {
    INFO(line);
    CHECK(steps_over(python, in_function(line), 3, 1) == Places{"work:3", "work:4"});
  }
}

TEST_CASE("a step out of what a loop on one line calls comes back to that line", "[host][debugging][steps]") {
  EACH_PYTHON(python);
  const char* const code = R"(def inner(x):
    return x
def outer(x):
    return inner(x)
def work():
    for x in range(2): outer(x)
    return x
work()
)";
  CHECK(places_of(python, code, 2, {ResumeKind::step_over, ResumeKind::step_into, ResumeKind::step_into}) ==
        Places{"inner:2", "work:6", "outer:4", "inner:2"});
  CHECK(places_of(python, code, 4, {ResumeKind::step_out, ResumeKind::step_over, ResumeKind::step_over}) ==
        Places{"outer:4", "work:6", "work:6", "work:7"});
}

TEST_CASE("a function on one line is stepped into and left", "[host][debugging][steps]") {
  EACH_PYTHON(python);
  const char* const code = R"(def f(x): return x + 1
g = lambda x: [v for v in range(x)]
def work():
    a = f(1)
    b = g(a)
    return b
work()
)";
  const ResumeKind into = ResumeKind::step_into, over = ResumeKind::step_over;
  CHECK(places_of(python, code, 4, {into, over, into, over}) ==
        Places{"work:4", "f:1", "work:5", "<lambda>:2", "work:6"});
  CHECK(steps_over(python, code, 4, 2) == Places{"work:4", "work:5", "work:6"});
}

// From 3.12 on an iteration of such a loop is no event for a line.
TEST_CASE("a pause stops in a loop on one line, and another thread stands there, too", "[host][debugging][steps]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.options(true, false);
  d.start(R"(import threading
counts, ends = [0], []
def count():
    while not ends: counts[0] += 1
thread = threading.Thread(target=count)
thread.start()
print('begun', flush=True)
while not ends: counts[0] += 1
print('over')
)");
  REQUIRE(d.host.wait_for_output("begun"));
  for (int time = 0; time < 2; ++time) {
    d.host.send(core::wire::Pause{});
    CHECK(d.stopped().reason == StopReason::pause);
    CHECK(d.console("import time; before = counts[0]; time.sleep(0.05); print('stands:', counts[0] == before)")->outcome ==
          Outcome::finished);
    CHECK(d.host.out().ends_with("stands: True\n"));
    if (time == 1) CHECK(d.console("ends.append(1)")->outcome == Outcome::finished);
    d.resume();
  }
  CHECK(d.finish() == Outcome::finished);
}

TEST_CASE("a step goes round a loop whose iterations are long", "[host][debugging][steps]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(5)});
  d.start(R"(def more(n):
    return n > 0
n = 100
while True:
    n -= 1 if more(n) else 0
    if not n: break
while True: n += 1
)");
  CHECK(place_of(d.stopped()) == "<module>:5");
  d.breakpoint_at({Debugged::line(7)});
  d.resume();
  for (int round = 0; round < 3; ++round) {  // a loop that nothing else would end
    CHECK(place_of(d.stopped()) == "<module>:7");
    d.resume(ResumeKind::step_over);
  }
  CHECK(place_of(d.stopped()) == "<module>:7");
  d.resume(ResumeKind::end_script);
  CHECK(d.finish() == Outcome::interrupted);
}
