// A slice in the window with a real NumPy: the numbers that are shown, what is copied, handed over and exported.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "tests/app/window/real/live_exchange.h"
#include "tests/app/window/stories/console_line.h"
#include "tests/app/window/stories/working_folder.h"

namespace dlscope::tests {
namespace {

constexpr const char* kScript = "import numpy as np\nx = np.arange(400, dtype=np.float64).reshape(40, 5, 2)\nother = np.zeros(3)\n";

}  // namespace

TEST_CASE("the slice that is typed is shown, copied, handed over and exported, and nothing else", "[window][real][values]") {
  LiveWindow window;
  const WorkingFolder folder;
  window.run(kScript);
  select(window, "x");
  ask(window, app::ActionId::exchange_selected);
  REQUIRE(window.story().wait_for([&] { return !view(window).hand.libraries.empty(); }));
  window.story().act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Exchange/**/##slice");
    ui->KeyCharsReplaceEnter("[2:40:3, ::-1, 0]");
  });
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  window.story().frames(4);

  const app::ValuesPanelState& values = window.app().panels().values;
  REQUIRE(values.grid);
  CHECK((values.grid->rows() == 13 && values.grid->columns() == 5));
  const auto rows = static_cast<int>(values.window.rows);  // those that have room
  REQUIRE((rows >= 4 && values.window.columns == 5 && values.window.row == 0));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < 5; ++column) {
      const int number = ((2 + 3 * row) * 5 + (4 - column)) * 2;
      CHECK(values.cells[static_cast<std::size_t>(row * 5 + column)].text == std::to_string(number) + ".0");
    }
  }

  window.app().commands().push(app::command::Ask{app::ActionId::values_export_npy});
  REQUIRE(window.story().wait_for([&] { return !folder.file_with(".npy").empty(); }));
  check_line(window, "print('npy', np.array_equal(np.load('" + folder.file_with(".npy") + "'), x[2:40:3, ::-1, 0]))", "npy True");

  // The menu File exports the same, not all of x.
  window.app().commands().push(app::command::Ask{app::ActionId::export_safetensors});
  REQUIRE(window.story().wait_for([&] { return !folder.file_with(".safetensors").empty(); }));
  check_line(window,
             "raw = open('" + folder.file_with(".safetensors") + "', 'rb').read(); size = int.from_bytes(raw[:8], 'little'); " +
                 "print('st', np.array_equal(np.frombuffer(raw[8 + size:]), x[2:40:3, ::-1, 0].ravel()))",
             "st True");

  view(window).hand.choice.library = "numpy";
  view(window).hand.name = "part";
  ask(window, app::ActionId::exchange_selected);
  REQUIRE(window.story().wait_for([&] { return view(window).hand.plan.has_value(); }));
  click(window, "Hand this slice over");
  REQUIRE(window.story().wait_for([&] { return view(window).hand.result.over(); }));
  INFO(view(window).hand.result.problem);
  REQUIRE(view(window).hand.result.done);
  CHECK(view(window).hand.result.done->verdict == "SHARED");
  CHECK(view(window).hand.result.done->step.from == "x[2::3, ::-1, 0]");
  CHECK(view(window).hand.result.subject == "x[2::3, ::-1, 0]");
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "part"); }));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  check_line(window, "x[2, 4, 0] = -1; print('shared', part[0, 0] == -1.0, part.shape)", "shared True (13, 5)");

  select(window, "x");
  view(window).copying.choice.name = "made";
  ask(window, app::ActionId::convert_selected);
  click(window, "Copy this slice");
  REQUIRE(window.story().wait_for([&] { return view(window).copying.result.over(); }));
  REQUIRE(view(window).copying.result.done);
  CHECK((view(window).copying.result.done->compared && view(window).copying.result.done->bytes == 13 * 5 * 8));
  REQUIRE(window.story().wait_for([&] { return has_tensor(window, "made"); }));
  REQUIRE(window.wait_for_state(app::HostState::idle));
  check_line(window, "m = np.asarray(made); print('copy', np.array_equal(m, x[2:40:3, ::-1, 0]), m.flags.c_contiguous)",
             "copy True True");
}

}  // namespace dlscope::tests
