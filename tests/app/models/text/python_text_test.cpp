#include "app/models/text/python_text.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {
namespace {

constexpr const char* kScript = R"(import numpy as np
x = np.zeros((
    2,

    3))
# a comment

@decorator
@other(
    1)
def f(a):
    """doc
  not indented
    """
    for i in range(3):
        y = i \
            + 1
    else:
        y = 0
    return y
if x: pass
elif y:
    z = [1,
2]

try:
    q = 1
except ValueError:  # why
    q = 2
finally:
    q = 3
last = 1)";

LineRange at(std::size_t line) { return statement_at(kScript, line).value_or(LineRange{999, 999}); }

}  // namespace

TEST_CASE("the statement at a line has all its lines", "[python]") {
  CHECK(at(0) == LineRange{0, 0});
  for (const std::size_t line : {1, 2, 3, 4}) CHECK(at(line) == LineRange{1, 4});
  CHECK_FALSE(statement_at(kScript, 5).has_value());
  CHECK_FALSE(statement_at(kScript, 6).has_value());
  for (const std::size_t line : {7, 8, 9, 10}) CHECK(at(line) == LineRange{7, 19});
  CHECK(at(12) == LineRange{11, 13});
  CHECK(at(14) == LineRange{14, 18});
  CHECK(at(16) == LineRange{15, 16});
  CHECK(at(17) == LineRange{14, 18});  // else belongs to its for
  CHECK(at(19) == LineRange{19, 19});
  CHECK(at(20) == LineRange{20, 23});
  CHECK(at(21) == LineRange{20, 23});
  CHECK(at(23) == LineRange{22, 23});
  CHECK(at(25) == LineRange{25, 30});
  CHECK(at(27) == LineRange{25, 30});
  CHECK(at(31) == LineRange{31, 31});
  CHECK_FALSE(statement_at("", 0).has_value());
  CHECK_FALSE(statement_at("x", 7).has_value());
}

TEST_CASE("a part is dedented, the inside of its strings is not", "[python]") {
  CHECK(dedented("    a\n      b\n\n    c") == "a\n  b\n\nc");
  CHECK(dedented("    s = '''\n    kept\n  '''\n    t") == "s = '''\n    kept\n  '''\nt");
  CHECK(dedented("\tx\n\t\ty") == "x\n\ty");
  CHECK(dedented("    f(1,\n  2)\n") == "f(1,\n2)\n");
  CHECK(dedented("# note\n    a") == "# note\na");
  const RunPart part = part_of_lines(kScript, {14, 18});
  CHECK(part.first_line == 14);
  CHECK(part.text.starts_with("for i in range(3):\n    y = i \\\n"));
  CHECK(part.text.ends_with("else:\n    y = 0"));
}

TEST_CASE("a console runs what is complete", "[python]") {
  const auto complete = [](std::string_view text) { return judge_complete(text) == Completeness::complete; };
  for (const char* whole : {"", "x", "x = (1)", "print('a:')", "x = 1  # note:", "'unterminated", "def f():\n    return 1\n",
                            "if x:\n  y\nelse:\n  z\n", "x = '''a\nb'''", "if x: y\n", "a = {1: 2}", "lambda: 0"}) {
    INFO(whole);
    CHECK(complete(whole));
  }
  for (const char* part : {"x = (", "x = [1,\n2", "'''", "def f():", "def f():\n    return 1", "if x: y", "x = 1 + \\", "@d",
                           "for i in x:\n    if i:", "class A:\n    def f(self):\n        pass", "x = {'a': '''b"}) {
    INFO(part);
    CHECK_FALSE(complete(part));
  }
}

TEST_CASE("comments come on and go off for all lines together", "[python]") {
  CHECK(toggled_comment("a\n  b\n\nc") == "# a\n#   b\n\n# c");
  CHECK(toggled_comment("# a\n#   b\n\n# c") == "a\n  b\n\nc");
  CHECK(toggled_comment("  a\n    b") == "  # a\n  #   b");
  CHECK(toggled_comment("#a\nb") == "# #a\n# b");
  CHECK(toggled_comment("#a") == "a");
  CHECK(toggled_comment("") == "");
  const std::string both = "  x\n\n    y  # z";
  CHECK(toggled_comment(toggled_comment(both)) == both);
}

TEST_CASE("Enter indents as the line before asks", "[python]") {
  CHECK(next_indent("  x", "    ") == "  ");
  CHECK(next_indent("if x:", "    ") == "    ");
  CHECK(next_indent("\tif x:  # why", "\t") == "\t\t");
  CHECK(next_indent("x = 'if:'", "    ").empty());
  CHECK(next_indent("# if:", "    ").empty());
  CHECK(next_indent("f(", "  ") == "  ");
  CHECK(next_indent("    return x", "    ").empty());
  CHECK(next_indent("    returned = 1", "    ") == "    ");
  CHECK(next_indent("", "    ").empty());
  CHECK(indent_unit("if x:\n  y\n") == "  ");
  CHECK(indent_unit("if x:\n\ty\n") == "\t");
  CHECK(indent_unit("x\n") == "    ");
}

}  // namespace dlscope::app
