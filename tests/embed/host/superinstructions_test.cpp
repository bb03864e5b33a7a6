// Code without a breakpoint runs the very instructions that it runs when none is set, from 3.12 on. 3.12 separates
// superinstructions wherever an event comes or goes; embed/host/superinstructions joins them again.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <filesystem>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;

TEST_CASE("a breakpoint elsewhere changes no instruction of a loop", "[host][debugging]") {
  EACH_PYTHON(python);
  if (python.minor < 12) SKIP("before 3.12 no instruction shows what a trace function costs");
  Debugged d(python);
  const char* const script = R"(import dis
def small(i):
    return i
def loop(n):
    t = 0
    for i in range(n):
        t += small(i)
        u = t; v = u
    return t
def generator(n):
    for i in range(n):
        a = b = i
        yield a + b
def other():
    return 1
for _ in range(20):
    loop(100), list(generator(50))
for function in (loop, small, generator):
    print([each.opname for each in dis.get_instructions(function, adaptive=True)])
)";
  REQUIRE(d.host.wait_for<core::wire::Hello>());
  d.start(script);
  CHECK(d.finish() == Outcome::finished);
  const std::string plain = d.host.out();
  CHECK(plain.find("FOR_ITER_RANGE") != std::string::npos);  // it was specialised
  if (python.minor == 12) CHECK(plain.find("STORE_FAST__LOAD_FAST") != std::string::npos);
  std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  d.breakpoint_at({Debugged::line(15)});
  d.start(script);
  CHECK(d.finish() == Outcome::finished);
  CHECK(d.host.out() == plain);
}

// Of every function of the standard library's files that compile: fresh from the compiler, with an event in each line (what has
// such an event must not be touched), and after the events have gone.
TEST_CASE("superinstructions are joined as the compiler of Python 3.12 joined them", "[host][debugging]") {
  EACH_PYTHON(python);
  if (python.minor != 12) SKIP("only 3.12 has superinstructions that events separate");
  Debugged d(python);
  REQUIRE(d.host.wait_for<core::wire::Hello>());
  d.start(R"(import glob, os, sys
from dlscope import _dlscope, _host_superinstructions
monitoring = sys.monitoring
monitoring.use_tool_id(3, 'test')
assert _host_superinstructions.begin(monitoring, 3)
seen = separated = 0
def check(code):
    global seen, separated
    fresh = code._co_code_adaptive
    monitoring.set_local_events(3, code, monitoring.events.LINE | monitoring.events.CALL | monitoring.events.BRANCH)
    instrumented = code._co_code_adaptive
    _dlscope.events_on_start(code, 0)
    joined = code._co_code_adaptive
    allowed = {a for a, b in zip(fresh[::2], instrumented[::2]) if a != b}
    assert all(new == old or new in allowed for old, new in zip(instrumented[::2], joined[::2])), code
    assert instrumented[1::2] == joined[1::2], code
    monitoring.set_local_events(3, code, 0)
    separated += code._co_code_adaptive != fresh
    _dlscope.events_on_start(code, 0)
    assert code._co_code_adaptive == fresh, code
    seen += 1
    for each in code.co_consts:
        if type(each) is type(code): check(each)
for path in sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), '*.py'))):
    with open(path, 'rb') as file: check(compile(file.read(), path, 'exec'))
monitoring.free_tool_id(3)
print(seen > 5000, separated > 3000, separated / seen)
import argparse, ast, json  # what was joined runs
for module in (argparse, ast, json):
    exec(compile(open(module.__file__).read(), module.__file__, 'exec'), {'__name__': module.__name__, '__package__': module.__package__})
)");
  CHECK(d.finish() == Outcome::finished);
  INFO(d.host.out() << d.host.err());
  CHECK(d.host.out().starts_with("True True"));
}
