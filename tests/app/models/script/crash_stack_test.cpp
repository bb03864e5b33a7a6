#include "app/models/script/crash_stack.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using dlscope::app::line_in_stack;

namespace {

constexpr const char* kStack =
    "Fatal Python error: Segmentation fault\n\n"
    "Thread 0x00007f01 (most recent call first):\n"
    "  File \"/home/me/a.py\", line 99 in other\n\n"
    "Current thread 0x00007f02 (most recent call first):\n"
    "  File \"/usr/lib/python3.11/ctypes/__init__.py\", line 519 in string_at\n"
    "  File \"/home/me/a.py\", line 7 in look\n"
    "  File \"/home/me/a.py\", line 12 in <module>\n\n"
    "Extension modules: numpy (total: 1)\n"
    "  File \"/home/me/b.py\", line 1 in late\n";

}  // namespace

TEST_CASE("The innermost line in the script, in the thread that met the fault", "[app][cli]") {
  CHECK(line_in_stack(kStack, "/home/me/a.py") == 7);
  CHECK(line_in_stack(kStack, "/usr/lib/python3.11/ctypes/__init__.py") == 519);
}

TEST_CASE("A stack without the script has no line", "[app][cli]") {
  CHECK(line_in_stack("", "/home/me/a.py") == 0);
  CHECK(line_in_stack(kStack, "") == 0);
  CHECK(line_in_stack(kStack, "/home/me/a") == 0);
  CHECK(line_in_stack(kStack, "a.py") == 0);
  CHECK(line_in_stack(kStack, "/home/me/b.py") == 0);  // behind the stack
  CHECK(line_in_stack("Thread 0x1 (most recent call first):\n  File \"a.py\", line 3 in f\n", "a.py") == 0);
  CHECK(line_in_stack("Current thread 0x1 (most recent call first):\n  File \"a.py\", line", "a.py") == 0);
}

TEST_CASE("Names are compared as faulthandler writes them", "[app][cli]") {
  const std::string head = "Current thread 0x1 (most recent call first):\n  File \"";
  CHECK(line_in_stack(head + "/m\\xfc/\\u20ac\\U0001f600.py\", line 3 in f\n", "/m\u00fc/\u20ac\U0001f600.py") == 3);
  CHECK(line_in_stack(head + "/\\udcff.py\", line 4 in f\n", "/\xff.py") == 4);
  CHECK(line_in_stack(head + std::string(500, 'n') + "...\", line 5 in f\n", std::string(600, 'n')) == 5);
}
