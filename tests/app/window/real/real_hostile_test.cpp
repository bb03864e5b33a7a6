// Scripts that are hard on a look at them, with a real Python in the window: memory that never answers, and scans that do not end
// as they should. The window goes on drawing, and says what happened.
#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/inventory/relation.h"
#include "tests/app/window/real/live_window.h"
#include "tests/embed/host/test_pythons.h"
#include "tests/support/hostile_memory.h"

namespace dlscope::tests {
namespace {

using app::HostState;
using Catch::Matchers::ContainsSubstring;

bool was_told(LiveWindow& window, std::string_view words) {
  return std::ranges::any_of(window.app().notices().all(),
                             [&](const app::Notice& notice) { return notice.text.find(words) != std::string::npos; });
}

bool comes_to_show(LiveWindow& window, std::string_view words) {
  return window.story().wait_for([&] { return window.story().text_of_frame().find(words) != std::string::npos; });
}

void go_to(LiveWindow& window, const char* tensor, const char* panel) {
  window.app().select(tensor);
  window.story().frames(3);
  window.story().act([panel](ImGuiTestContext* ui) { ui->WindowFocus(panel); });
}

// Its first element, in the hex view.
bool can_be_read(LiveWindow& window, const char* tensor, double expected) {
  go_to(window, tensor, "//Hex");
  app::HexPanelState& hex = window.app().panels().hex;
  double value = 0;
  return window.story().wait_for([&] {
    return hex.bytes.copy_from(hex.cursor, std::as_writable_bytes(std::span(&value, 1))) == sizeof value && value == expected;
  });
}

// The interpreters with tools, one for each version; where there are none, the one that the other windows have. Nothing here needs a
// library.
std::vector<std::string> pythons() {
  std::vector<std::string> out;
  for (const TestPython& python : pythons_with_tools()) out.push_back(python.executable);
  if (out.empty()) out.push_back(LiveWindow::python());
  return out;
}

std::string odd_producer(const char* does) {
  return fmt::format(
      "import os\n"
      "class Odd:\n"
      "    def __dlpack_device__(self): return (1, 0)\n"
      "    def __dlpack__(self, **how): {}\n"
      "first = bytearray(3)\n"
      "odd = Odd()\n",
      does);
}

}  // namespace

TEST_CASE("pages that never come are said not to answer, and the window goes on drawing", "[window][real][slow]") {
  if (!SlowPages::may_be_used()) SKIP("this user may not use userfaultfd");
  const std::string python = GENERATE(from_range(pythons()));
  INFO(python);
  LiveWindow window(python);
  window.run(fmt::format(
      "import array, ctypes, fcntl, mmap, os, struct\n"
      "_fd = ctypes.CDLL(None).syscall({}, os.O_CLOEXEC | os.O_NONBLOCK)\n"
      "fcntl.ioctl(_fd, 0xC018AA3F, bytearray(struct.pack('QQQ', 0xAA, 0, 0)))\n"
      "_area = mmap.mmap(-1, 16 * mmap.PAGESIZE)\n"
      "_area[0] = _area[15 * mmap.PAGESIZE] = 1\n"  // the ends are there
      "_at = ctypes.addressof(ctypes.c_char.from_buffer(_area))\n"
      "fcntl.ioctl(_fd, 0xC020AA00, bytearray(struct.pack('QQQQ', _at, len(_area), 1, 0)))\n"
      "slow = memoryview(_area).cast('d')[512:7680]\n"  // all but the first and the last page
      "near = array.array('d', [12.625] * 4)\n",
      SYS_userfaultfd));
  REQUIRE(window.app().index()->find("slow"));
  go_to(window, "slow", "//Values");
  CHECK(comes_to_show(window, "does not answer"));
  CHECK(can_be_read(window, "near", 12.625));
  // Those that read the bytes say it beside the inspector, which always does; those that show where they are show it all the same.
  for (const char* const panel : {"//Heat map", "//Statistics", "//Values"}) {
    INFO(panel);
    go_to(window, "slow", panel);
    CHECK(window.story().wait_for([&] {
      const std::string_view said = "does not answer";
      const std::string text(window.story().text_of_frame());
      return text.find(said) != text.rfind(said);
    }));
  }
  go_to(window, "slow", "//Layout");
  CHECK(comes_to_show(window, "step 8 B, contiguous"));
  go_to(window, "slow", "//Memory");
  CHECK(comes_to_show(window, "3 tensors true scale"));
  CHECK(can_be_read(window, "near", 12.625));
  CHECK(window.state() == HostState::idle);
}

TEST_CASE("a producer that ends the process in a scan is told as that, not as a usual end", "[window][real]") {
  const std::string python = GENERATE(from_range(pythons()));
  INFO(python);
  LiveWindow window(python);
  window.run("x = bytearray(5)\n");
  const app::IndexPtr before = window.app().index();
  window.start(odd_producer("os._exit(0)"));
  REQUIRE(window.wait_for_state(HostState::ended));
  CHECK_THAT(window.app().host().detail(), ContainsSubstring("while its tensors were described, so they are not shown, or not whole"));
  CHECK(was_told(window, "while its tensors were described"));
  CHECK(comes_to_show(window, "while its tensors were described"));
  CHECK(window.app().index() == before);
  restart(window.app());
  REQUIRE(window.wait_for_state(HostState::idle));
  window.run("y = bytearray(6)\n");
  CHECK(window.app().index()->find("y"));
}

TEST_CASE("a producer that raises KeyboardInterrupt in a scan is a refusal like any other", "[window][real]") {
  const std::string python = GENERATE(from_range(pythons()));
  INFO(python);
  LiveWindow window(python);
  window.run(odd_producer("raise KeyboardInterrupt"));
  REQUIRE(window.app().index()->find("first"));
  REQUIRE(window.app().index()->find("odd"));
  go_to(window, "odd", "//Inspector");
  CHECK(comes_to_show(window, "KeyboardInterrupt"));
  CHECK(window.state() == HostState::idle);
}

TEST_CASE("a crash in a scan is told as that", "[window][real]") {
  const std::string python = GENERATE(from_range(pythons()));
  INFO(python);
  LiveWindow window(python);
  window.start(odd_producer("__import__('ctypes').string_at(8)"));
  REQUIRE(window.wait_for_state(HostState::crashed));
  CHECK_THAT(window.app().host().detail(), ContainsSubstring("crashed while its tensors were described: "));
  CHECK(was_told(window, "while its tensors were described"));
}

TEST_CASE("a run that ended with its process is not called no run", "[window][real]") {
  const std::string python = GENERATE(from_range(pythons()));
  INFO(python);
  LiveWindow window(python);
  CHECK(comes_to_show(window, "Nothing was run yet"));
  window.start("import os\nx = bytearray(3)\nos._exit(0)\n");
  REQUIRE(window.wait_for_state(HostState::ended));
  CHECK(comes_to_show(window, "ended with exit code 0"));
  CHECK_FALSE(window.story().text_of_frame().find("Nothing was run yet") != std::string::npos);
  restart(window.app());
  REQUIRE(window.wait_for_state(HostState::idle));
  CHECK(comes_to_show(window, "The last run ended with its process"));
}

TEST_CASE("memory is not called separate where the address map cannot be read, and an audit hook is no error of the script's",
          "[window][real]") {
  const std::string python = GENERATE(from_range(pythons()));
  INFO(python);
  LiveWindow window(python);
  window.run(
      "import mmap, os, resource, sys\n"
      "_file = os.memfd_create('shared')\n"
      "os.ftruncate(_file, 65536)\n"
      "x, y = mmap.mmap(_file, 65536), mmap.mmap(_file, 65536)\n"
      "for _name in os.listdir('/proc/self/fd'):\n"
      "    try:\n"
      "        if os.readlink('/proc/self/fd/' + _name).endswith('/maps'): os.close(int(_name))\n"
      "    except OSError: pass\n"
      "def _hook(event, arguments):\n"
      "    if event == 'sys.settrace': raise RuntimeError(event)\n"
      "sys.addaudithook(_hook)\n"
      "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\n");
  CHECK(window.app().outcome().outcome == core::Outcome::finished);
  REQUIRE(window.app().index()->find("x"));
  CHECK(core::relation_between(*window.app().index()->snapshot, *window.app().index()->find("x"), *window.app().index()->find("y"))
            .relation == core::Relation::unknown);
  go_to(window, "x", "//Inspector");
  CHECK(comes_to_show(window, "cannot read /proc/self/maps"));
}

TEST_CASE("a scan without memory gives a notice, and the last tensors stay", "[window][real]") {
  const std::string python = GENERATE(from_range(pythons()));
  INFO(python);
  LiveWindow window(python);
  window.run("x = bytearray(5)\n");
  const app::IndexPtr before = window.app().index();
  window.start(
      "import resource\n"
      "many = [[i] for i in range(2000000)]\n"
      "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
      "resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20), used + (32 << 20)))\n");
  REQUIRE(window.story().wait_for([&] { return was_told(window, "The scan did not end"); }));
  CHECK(was_told(window, "not enough memory"));
  REQUIRE(window.wait_for_state(HostState::idle));
  CHECK(window.app().index() == before);
  restart(window.app());
  window.story().frames(2);
  REQUIRE(window.wait_for_state(HostState::idle));
  window.run("y = bytearray(6)\n");
  CHECK(window.app().index()->find("y"));
}

}  // namespace dlscope::tests
