// Gigabytes and a million objects in the window, with a real Python: searched, cancelled and stopped while frames are drawn. The
// gigabytes are pages that nobody wrote to: they are read as zeros and take no memory. DLSCOPE_LARGE_GIB sets how many.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "app/models/text/format.h"
#include "tests/app/window/real/live_window.h"
#include "tests/app/window/stories/story_windows.h"

namespace dlscope::tests {
namespace {

std::uint64_t gibibytes() {
  const char* const wanted = std::getenv("DLSCOPE_LARGE_GIB");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 4;
}

// A float32 tensor "x" of private pages in which one value, the seventh from the end, is 1.
std::string script(std::uint64_t bytes) {
  return fmt::format(
      "import mmap, numpy as np\n"
      "pages = mmap.mmap(-1, {0}, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
      "x = np.frombuffer(pages, np.float32)\n"
      "x[-7] = 1\n"
      "small = np.arange(8, dtype=np.float32)\n",
      bytes);
}

const app::TaskEntry* search(LiveWindow& window, const char* name, const char* number) {
  window.app().select(name);
  window.story().frames(2);
  window.app().commands().push(app::command::SearchValues{core::SearchedValue::equal, number});
  window.story().frames(1);
  return window.app().tasks().all().empty() ? nullptr : &window.app().tasks().all().back();
}

std::string last_notice(LiveWindow& window) {
  return window.app().notices().all().empty() ? std::string() : window.app().notices().all().back().text;
}

}  // namespace

TEST_CASE("one value in gigabytes is found by a task whose progress is seen, frame after frame", "[window][real][large]") {
  LiveWindow window;
  const std::uint64_t bytes = gibibytes() << 30;
  window.run(script(bytes));
  const app::TaskEntry* const task = search(window, "x", "1");
  REQUIRE(task != nullptr);
  const std::uint64_t id = task->id;
  bring_up(window.story(), "//Tasks");
  // Every frame is drawn while the host reads: each shows what was told last, and between two told amounts there may be many.
  int frames = 0, running = 0;
  std::set<std::uint64_t> told;
  std::string shown;
  REQUIRE(window.story().wait_for([&] {
    const app::TaskEntry* const now = window.app().tasks().find(id);
    if (now == nullptr || !now->is_open()) return true;
    ++frames;
    if (now->done > 0 && now->total > 0) {
      ++running;
      told.insert(now->done);
      if (shown.empty()) shown = window.story().text_of_frame();
    }
    return false;
  }));
  INFO(frames << " frames, " << running << " with an amount, " << told.size() << " amounts");
  CHECK(running >= 2);
  CHECK(told.size() >= 2);
  CHECK(shown.find("GiB") != std::string::npos);
  CHECK(shown.find("Cancel") != std::string::npos);
  REQUIRE(window.story().wait_for([&] { return !last_notice(window).empty(); }));
  const std::uint64_t count = bytes / 4;
  CHECK(last_notice(window).starts_with(
      fmt::format("x: 1 of {} values is equal to 1; it is x[{}]", app::grouped(count), count - 7)));
}

TEST_CASE("a search of gigabytes is cancelled by a click: frames go on, nothing is told as found, the host serves the next",
          "[window][real][large]") {
  LiveWindow window;
  window.run(script(gibibytes() << 31));  // twice as many: it must not end by itself
  const app::TaskEntry* const task = search(window, "x", "2");
  REQUIRE(task != nullptr);
  const std::uint64_t id = task->id;
  bring_up(window.story(), "//Tasks");
  const auto now = [&] { return window.app().tasks().find(id); };
  REQUIRE(window.story().wait_for([&] { return now()->done > 0 || !now()->is_open(); }));
  REQUIRE(now()->is_open());
  // The window draws from the press of the button on, whatever the host is doing: a frame for the press, one for the release, and
  // those until it hears of the end.
  int pressed = 0, ended = 0;
  window.story().act([&](ImGuiTestContext* ui) {
    ui->MouseMove("//Tasks/**/Cancel");
    pressed = ImGui::GetFrameCount();
    ui->MouseClick();
    while (now()->is_open() && ImGui::GetFrameCount() - pressed < 10'000) ui->Yield();
    ended = ImGui::GetFrameCount();
  });
  INFO(ended - pressed << " frames from the click to the end");
  CHECK(ended - pressed >= 2);
  CHECK(now()->state == app::TaskState::cancelled);
  CHECK(now()->cancel_asked);
  CHECK(now()->done < now()->total);
  CHECK(last_notice(window).find("equal to 2") == std::string::npos);
  // The thread that read is free again.
  const app::TaskEntry* const next = search(window, "small", "3");
  REQUIRE(next != nullptr);
  const std::string answer = "small: 1 of 8 values is equal to 3";
  REQUIRE(window.story().wait_for([&] { return last_notice(window).find(answer) != std::string::npos; }));
}

// The gate lies in the middle of the list: when it is asked, half the objects have been looked at, and half have not.
TEST_CASE("a scan of a million objects is stopped from the window: what it had found stays, and it is said to be incomplete",
          "[window][real][large]") {
  LiveWindow window;
  window.start(
      "import time\n"
      "class Node:\n"
      "    def __init__(self, i): self.index, self.next = i, None\n"
      "class Gate:\n"
      "    def __dlpack_device__(self): return (1, 0)\n"
      "    def __dlpack__(self, **how):\n"
      "        print('half-way', flush=True)\n"
      "        while True: time.sleep(0.01)\n"
      "first = bytearray(8)\n"
      "nodes = [Node(i) for i in range(1_000_000)]\n"
      "nodes[400_000].found = bytearray(16)\n"
      "nodes[500_000].gate = Gate()\n"
      "nodes[600_000].missed = bytearray(32)\n");
  REQUIRE(window.wait_for_output("half-way"));
  CHECK(window.state() == app::HostState::scanning);
  // Frames go on meanwhile.
  window.story().frames(5);
  CHECK(window.state() == app::HostState::scanning);
  window.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiMod_Shift | ImGuiKey_F5); });
  REQUIRE(window.wait_for_state(app::HostState::idle));
  REQUIRE(window.story().wait_for([&] { return window.app().index() != nullptr; }));
  window.story().frames(3);
  const app::SnapshotIndex& index = *window.app().index();
  CHECK(index.find("first"));
  CHECK(index.find("nodes[400000].found"));
  CHECK_FALSE(index.find("nodes[600000].missed"));
  CHECK(index.snapshot->info.scanned == core::Scanned::interrupt);
  CHECK(last_notice(window).find("The scan was interrupted: what it had not reached is missing.") != std::string::npos);
  CHECK(window.story().text_of_frame().find("The scan was interrupted") != std::string::npos);
  // And Python is usable.
  window.app().commands().push(app::command::RunText{.text = "print('still', len(nodes))\n"});
  REQUIRE(window.wait_for_output("still 1000000"));
}

}  // namespace dlscope::tests
