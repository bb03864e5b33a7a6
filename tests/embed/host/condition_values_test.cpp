// What a condition is evaluated to: the same as if the script had its text in the line above. In functions only the variables
// that the text names are looked up, so the conditions here reach for names in every way there is.
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/embed/host/debugged.h"
#include "tests/embed/host/each_python.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::Outcome;

namespace {

// In a function, a module and the body of a class: prints "own N" where the condition holds, or raises; the line after it has
// the breakpoint.
constexpr const char* kPlaces[] = {
    "def made(cell):\n    def work(limit, threshold=3):\n        def uses_cell(): return cell, own_cell\n        own_cell = 5\n        for i in range(6):\n"
    "            if i == 4: late = 1\n            check = CHECK\n            here = i\n    return work\nmade(2)(4)\n",
    "cell = 2; own_cell = 5; limit = 4; threshold = 3\nfor i in range(6):\n    if i == 4: late = 1\n    check = CHECK\n    here = i\n",
    "class Body:\n    cell = 2; own_cell = 5; limit = 4; threshold = 3\n    for i in range(6):\n        if i == 4: late = 1\n"
    "        check = CHECK\n        here = i\n",
};
constexpr const char* kBegin =
    "import builtins, sys\nclass Box: offset = 2\nbox = Box(); of_module = 1; i = 100\n"
    "def say(holds, i):\n    if holds: print('own', i)\n";

constexpr const char* kLambda = "(lambda k: k == i)(2)";
constexpr const char* kConditions[] = {
    "i == 3",
    "i > threshold",
    "i == of_module",
    "i * box.offset == limit",
    "cell == i",
    "own_cell == i",
    "i >= 4 and late == 1",
    "late",  // raises until it is bound: that stops, too
    "nowhere",
    "'late' in locals() and late == 1",
    "'limit' in dir() and i == 1",
    "vars()['i'] == 2",
    "eval('i') == 2",
    "sys._getframe().f_locals['i'] == 4",
    "builtins.len('ab') == i",
    "i in [k for k in range(limit)]",
    kLambda,
    "(lambda k, own=i: k == own)(2)",
    "(again := i) == 3",
    "globals()['of_module'] == i",
    "__name__ == '__main__' and i % 2",
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
  return text;
}

}  // namespace

TEST_CASE("a condition has the value that its text has in the line above", "[host][debugging]") {
  EACH_PYTHON(python);
  Debugged d(python);
  REQUIRE(d.host.wait_for<core::wire::Hello>());
  for (const std::string condition : kConditions) {
    for (const std::string place : kPlaces) {
      if (condition == kLambda && place.starts_with("class")) continue;  // Python's lambdas do not see the names of a class, ours do
      std::string script = kBegin + place;
      const std::size_t line_begin = script.rfind('\n', script.find("CHECK")) + 1;
      const std::string indent(script.find("check") - line_begin, ' ');
      script = replaced(script, "check = CHECK\n",
                        "try: say(" + condition + ", i)\n" + indent + "except NameError: say(True, i)\n");
      INFO(script);
      core::wire::Breakpoint breakpoint = Debugged::line(0, condition);
      breakpoint.id = 1;
      for (std::size_t at = 0; at < script.find("here = i"); ++at) breakpoint.line += script[at] == '\n' ? 1 : 0;
      ++breakpoint.line;
      breakpoint.log_text = "hit {i}";
      d.breakpoint_at({breakpoint});
      std::filesystem::resize_file(d.host.folder().path() / "stdout", 0);
      d.start(script);
      CHECK(d.finish() == Outcome::finished);
      std::string expected, said = d.host.out();
      std::istringstream lines(said);
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("own")) expected += line + "\n" + replaced(line, "own", "hit") + "\n";
      }
      CHECK(said == expected);
      if (condition != "nowhere" && condition != "late") CHECK(replaced(said, "own", "").size() < 6 * 2 * 6);  // not at each iteration
    }
  }
}
