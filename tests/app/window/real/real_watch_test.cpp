// Two whole sittings with a real Python: values watched while a loop goes on, interrupted and lost again; the tour stepped through by keys.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "tests/app/window/stories/debugged_window.h"

namespace dlscope::tests {
namespace {

using app::HostState;

constexpr const char* kLoop =
    "import numpy as np\n"         // 1
    "x = np.zeros((40, 6))\n"      // 2
    "total = 0.0\n"                // 3
    "for i in range(100):\n"       // 4
    "    x[i % 40] = i + 1\n"      // 5
    "    total = float(x.sum())\n" // 6
    "print('over', total)\n";      // 7

std::size_t line_with(const std::string& path, const std::string& text) {
  std::ifstream file(path);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.starts_with(text)) return number;
  }
  return 0;
}

}  // namespace

TEST_CASE("values are watched while a loop goes on, is interrupted, and a name goes and comes back",
          "[window][host][debug][story]") {
  Debugged d(kLoop);
  app::Application& app = d.window.app();
  const auto& watches = app.panels().stack.watches;
  app::ValuesPanelState& values = app.panels().values;
  d.breakpoint_at(6);
  app.commands().push(app::command::SetWatches{{"i", "total", "x.max()"}});
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop());
  app.select("x");
  app.panels().menu.show[app::ActionContext::values] = true;
  d.window.story().frames(6);
  values.zoom = 1.5F;
  values.range = app::CellRange{{1, 1}, {3, 4}};
  d.window.story().frames(3);

  std::size_t flashed = 0;
  for (int turn = 1; turn <= 10; ++turn) {
    const std::uint64_t before = d.stop().at.stop;
    d.press(ImGuiKey_F5);
    REQUIRE(d.wait_for_stop(before));
    REQUIRE(d.window.story().wait_for([&] { return watches.answered && watches.values[0].text == std::to_string(turn); }));
    CHECK(watches.values[2].text.find(std::to_string(turn + 1)) != std::string::npos);
    d.window.story().frames(3);
    CHECK(values.zoom == 1.5F);
    REQUIRE(values.range.has_value());
    if (values.changes.size() > 0) ++flashed;
  }
  CHECK(flashed == 10);

  // A watched name is deleted at the stop, and is there again after the line that makes it.
  d.type("del total");
  REQUIRE(d.window.story().wait_for(
      [&] { return watches.answered && watches.values[1].error.find("NameError") != std::string::npos; }));
  REQUIRE(d.wait_for_stop());
  const std::uint64_t before = d.stop().at.stop;
  d.press(ImGuiKey_F5);
  REQUIRE(d.wait_for_stop(before));
  REQUIRE(d.window.story().wait_for(
      [&] { return watches.answered && watches.values[1].error.empty() && !watches.values[1].text.empty(); }));

  app.commands().push(app::command::RemoveAllBreakpoints{});
  d.window.story().frames(2);
  d.press(ImGuiKey_F5);
  REQUIRE(d.window.wait_for_output("over"));
  REQUIRE(d.ends());

  // What sleeps with the interpreter in its hand holds up nothing here, and can be interrupted.
  d.type("import ctypes; print('asleep', flush=True); ctypes.PyDLL(None).sleep(600)");
  REQUIRE(d.window.wait_for_output("asleep"));
  REQUIRE(d.window.state() == HostState::running);
  d.window.story().frames(2);
  CHECK(app.moment().since == app::Since::running);
  d.press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  d.window.story().frames(2);
  CHECK(app.panels().palette.looks != app::PaletteState::Looks::nowhere);
  d.press(ImGuiKey_Escape);
  d.window.story().frames(2);
  CHECK(d.window.state() == HostState::running);
  d.press(ImGuiMod_Shift | ImGuiKey_F5);
  REQUIRE(d.ends());
  CHECK(app.host().alive());
  CHECK(app.index()->find("x").has_value());
}

TEST_CASE("the tour is stepped through with keys alone", "[window][host][debug][story]") {
  const std::string tour = std::string(DLSCOPE_SAMPLES) + "/tour.py";
  LiveWindow window;
  app::Application& app = window.app();
  REQUIRE(app.load_script(tour).has_value());
  window.story().frames(3);
  const auto press = [&](ImGuiKeyChord chord) { window.story().act([=](ImGuiTestContext* ui) { ui->KeyPress(chord); }); };
  const auto stops_after = [&](std::uint64_t before) {
    const bool stopped = window.story().wait_for([&] {
      return window.state() == HostState::stopped && app.host().stop()->at.stop > before && app.moment().at_stop;
    });
    window.story().frames(2);
    return stopped;
  };
  const auto line = [&] { return app.host().stop()->at.frames.front().line; };

  const std::size_t first = line_with(tour, "temperatures = ");
  REQUIRE(first > 1);
  app.panels().script.reveal_line = 0;
  window.story().frames(4);
  window.story().act([first](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_DownArrow, static_cast<int>(first) - 1); });
  press(ImGuiKey_F9);
  press(ImGuiKey_F5);
  REQUIRE(stops_after(0));
  CHECK(line() == first);
  CHECK_FALSE(app.index()->find("temperatures").has_value());

  std::set<std::uint32_t> seen;
  for (int step = 0; step < 20; ++step) {
    const std::uint64_t before = app.host().stop()->at.stop;
    press(ImGuiKey_F10);
    REQUIRE(stops_after(before));
    CHECK(seen.insert(line()).second);  // every line once: the tour has no loop here
    CHECK(app.panels().script.marked_line == line());
  }
  for (const char* name : {"temperatures", "first_rows", "transposed", "even_columns", "odd_columns", "broadcast", "words"}) {
    INFO(name);
    CHECK(app.index()->find(name).has_value());
  }
  // Back by keys, and to now again.
  const std::uint64_t now = app.history().shown;
  press(ImGuiMod_Alt | ImGuiKey_LeftArrow);
  REQUIRE(window.story().wait_for([&] { return app.moment().since == app::Since::looked_again; }));
  CHECK(app.history().shown == now - 1);
  press(ImGuiKey_Escape);
  REQUIRE(window.story().wait_for([&] { return app.moment().since != app::Since::looked_again; }));

  press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_F9);
  press(ImGuiKey_F5);
  REQUIRE(window.wait_for_state(HostState::idle));
  CHECK(app.outcome().outcome == core::Outcome::finished);
}

}  // namespace dlscope::tests
