// Breakpoints concern the code objects that hold them, and no others: what runs elsewhere is not traced, whatever calls it, and what is
// concerned is, whenever it began. Before Python 3.12 sys.gettrace() tells which; from then on nothing is ever traced.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using Catch::Matchers::ContainsSubstring;
using core::Outcome;
using core::wire::Breakpoint;
using core::wire::ResumeKind;

namespace {

Breakpoint log_at(std::uint32_t line, const char* text) {
  Breakpoint breakpoint = Debugged::line(line);
  breakpoint.log_text = text;
  return breakpoint;
}

}  // namespace

TEST_CASE("only the code that holds a breakpoint is traced", "[host][debugging][traced]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({log_at(6, "here {n}")});
  d.start(R"(import sys, threading
traced = lambda: sys.gettrace() is not None
def elsewhere():
    return traced()
def concerned(n):
    before = elsewhere()
    own = sys.gettrace() is not None
    inner = list(generator())
    return before, own, inner, elsewhere()
def generator():
    yield sys.gettrace() is not None
    yield traced()
print(sys.gettrace() is not None, elsewhere())
print(concerned(1), sys.gettrace() is not None)
thread = threading.Thread(target=lambda: print(concerned(2), sys.gettrace() is not None))
thread.start()
thread.join()
try:
    concerned()
except TypeError:
    print(elsewhere(), sys.gettrace() is not None)
)");
  CHECK(d.finish() == Outcome::finished);
  const std::string own = python.minor < 12 ? "True" : "False";
  CHECK(d.host.out() == "False False\nhere 1\n(False, " + own + ", [False, False], False) False\nhere 2\n(False, " + own +
                            ", [False, False], False) False\nFalse False\n");
}

TEST_CASE("a breakpoint set while code runs is reached in frames that began before it", "[host][debugging][traced]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.start(R"(import sys, time
def wait():
    while not hasattr(sys, 'go_on'):
        time.sleep(0.005)
def middle():
    wait()
    a = 1
    b = 2
    return a + b
def outer():
    x = middle()
    y = x + 1
    return y
print('on', flush=True)
print(outer())
print(outer(), sys.gettrace())
)");
  REQUIRE(d.host.wait_for_output("on\n"));
  d.breakpoint_at({log_at(8, "middle {a}"), log_at(13, "outer {y}"), log_at(15, "never"), Debugged::line(4)});
  CHECK(place_of(d.stopped()) == "wait:4");
  d.breakpoint_at({log_at(8, "middle {a}"), log_at(13, "outer {y}")});
  CHECK(d.console("sys.go_on = True"));
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "on\nmiddle 1\nouter 4\n4\nmiddle 1\nouter 4\n4 None\n");
}

TEST_CASE("after a step into other code the caller's breakpoints are still reached", "[host][debugging][traced]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({Debugged::line(6), log_at(8, "back {a} {b}")});
  d.start(R"(def helper(n):
    n += 1
    n += 1
    return n
def outer():
    a = helper(1)
    b = helper(a)
    return a + b
print(outer(), outer())
)");
  CHECK(place_of(d.stopped()) == "outer:6");
  d.resume(ResumeKind::step_into);
  CHECK(place_of(d.stopped()) == "helper:2");
  d.breakpoint_at({log_at(8, "back {a} {b}")});
  d.resume(ResumeKind::step_over);
  CHECK(place_of(d.stopped()) == "helper:3");
  d.resume();
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "back 3 5\nback 3 5\n8 8\n");
}

TEST_CASE("a recursion that the script allows to be deep stays possible with breakpoints elsewhere",
          "[host][debugging][traced]") {
  EACH_PYTHON(python);
  if (python.minor != 11)
    return;  // before, a recursion takes C stack with or without breakpoints; later no frame is evaluated by us
  Debugged d(python);
  d.breakpoint_at({log_at(4, "reached {n}"), log_at(6, "after {n}")});
  d.start(R"(import sys
sys.setrecursionlimit(200000)
def leaf(n):
    return n
def after(n):
    return n
def deep(n):
    return leaf(n) if n == 0 else deep(n - 1) + 1
print(deep(150000))
print(after(7), sys.gettrace())
)");
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == "reached 0\n150000\nafter 7\n7 None\n");
}

TEST_CASE("breakpoints are reached again when a tool's trace function is gone", "[host][debugging][traced]") {
  EACH_PYTHON(python);
  Debugged d(python);
  d.breakpoint_at({log_at(3, "here {n}")});
  d.start(R"(import sys
def concerned(n):
    return n
seen = []
def tracer(frame, event, arg):
    if frame.f_code.co_name == 'concerned':
        seen.append(event)
    return tracer
concerned(1)
sys.settrace(tracer)
concerned(2)
sys.settrace(None)
concerned(3)
print(seen, sys.gettrace())
)");
  CHECK(d.finish() == Outcome::finished);
  const std::string with_tool = python.minor < 12 ? "" : "here 2\n";
  CHECK(d.host.out() == "here 1\n" + with_tool + "here 3\n['call', 'line', 'return'] None\n");
  if (python.minor >= 12) return;
  bool said = false;
  for (const auto& message : d.host.messages) {
    const auto* notice = std::get_if<core::wire::Notice>(&message);
    if (notice != nullptr)
      said = said || notice->text.find("another tool has set a trace function (__main__.tracer)") != std::string::npos;
  }
  CHECK(said);
}
