// What breakpoints cost, printed and not judged: hidden, run by name. Ratios of CPU time of the thread to the same loops without any in the
// same process, rounds interleaved, best of each.
//   DLSCOPE_TEST_PYTHONS=... embed_host_test "cost of breakpoints"
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;

namespace {

// Prints the seconds of a loop in a function, of a loop that calls a function, and of a loop in a module.
constexpr const char* kLoops = R"(import importlib, sys, time
def loop(n):
    t = 0
    for i in range(n):
        t += i
    return t
def small(i):
    return i
def calls(n):
    t = 0
    for i in range(n):
        t += small(i)
    return t
def other():
    return 1
def timed(function, n):
    begin = time.thread_time()
    value = function(n)
    assert value == n * (n - 1) // 2
    return time.thread_time() - begin
def module(n):
    sys.modules.pop('module_loop', None)
    return importlib.import_module('module_loop').t
print(timed(loop, 10000000), timed(calls, 3000000), timed(module, 10000000))
)";
constexpr const char* kModule = "t = 0\nfor i in range(10000000):\n    t += i\n";

using Times = std::vector<double>;

class Loops {
 public:
  explicit Loops(const TestPython& python) : d(python) {
    d.host.folder().write("module_loop.py", kModule);
    REQUIRE(d.host.wait_for<core::wire::Hello>());
  }
  Debugged d;
  Times run() {
    std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
    d.start(kLoops);
    CHECK(d.finish() == Outcome::finished);
    std::istringstream out(d.host.out());
    Times times;
    for (double each = 0; out >> each;) times.push_back(each);
    REQUIRE(times.size() == 3);
    return times;
  }
};

void keep_best(Times& best, const Times& times) {
  best.resize(times.size(), std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < times.size(); ++i) best[i] = std::min(best[i], times[i]);
}

}  // namespace

TEST_CASE("cost of breakpoints elsewhere", "[.cost]") {
  EACH_PYTHON(python);
  Loops loops(python);
  Times plain, elsewhere;
  for (int round = 0; round < 4; ++round) {
    loops.d.breakpoint_at({});
    keep_best(plain, loops.run());
    loops.d.breakpoint_at({Debugged::line(15)});
    keep_best(elsewhere, loops.run());
  }
  WARN("Python " << python.version << ", 1e7 iterations in a function: " << elsewhere[0] / plain[0] << " of " << plain[0]
                 << " s; 3e6 calls: " << elsewhere[1] / plain[1] << " of " << plain[1] << " s; 1e7 iterations in a module: "
                 << elsewhere[2] / plain[2] << " of " << plain[2] << " s");
}

// For tests/bench/condition_bench.py, which compares it with pdb and debugpy: prints "took SECONDS".
TEST_CASE("cost of a condition that is false", "[.cost]") {
  EACH_PYTHON(python);
  Debugged d(python);
  REQUIRE(d.host.wait_for<core::wire::Hello>());
  const auto script = [](int iterations) {
    return "import time\ndef loop(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\nbegin = time.thread_time()\nt = loop(" +
           std::to_string(iterations) + ")\nprint('took', time.thread_time() - begin)\nassert t == " + std::to_string(iterations) +
           " * (" + std::to_string(iterations) + " - 1) // 2\n";
  };
  d.breakpoint_at({Debugged::line(5, "i == 137")});
  d.start(script(200));
  d.stopped();
  REQUIRE(d.console("i, t"));
  CHECK(d.host.out() == "(137, " + std::to_string(137 * 136 / 2) + ")\n");
  d.resume();
  REQUIRE(d.finish() == Outcome::finished);
  std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
  d.breakpoint_at({Debugged::line(5, "i < 0")});
  d.start(script(200'000));
  CHECK(d.finish() == Outcome::finished);
  std::cout << d.host.out() << std::flush;
}
