// Tensors on a CUDA device in the window, over a real host whose program uses the fake driver.
#include "tests/app/window/real/live_window.h"
#include "tests/support/cuda_program.h"

namespace dlscope::tests {

TEST_CASE("values, statistics and bytes of a tensor on a device are shown, and follow what the program writes",
          "[window][real][cuda]") {
  LiveWindow window;
  window.run(cuda_program("grid = device_array(range(1200), (30, 40))\nshadow(grid)[43] = float('nan')\n"));
  const auto tensor = window.app().index()->find("grid");
  REQUIRE(tensor);
  window.app().commands().push(app::command::SelectTensor{*tensor});
  const auto& values = window.app().panels().values;
  const auto shows = [&](const std::string& cells) {
    window.story().frames(1);
    std::string all;
    for (const app::GridCell& cell : values.cells) all += cell.text + " ";
    return all.find(cells) != std::string::npos;
  };
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  REQUIRE(window.story().wait_for([&] { return shows("0.0 1.0 2.0 3.0 ") && shows("41.0 42.0 nan 44.0 "); }));

  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Statistics"); });
  REQUIRE(window.story().wait_for([&] {
    const auto* summary = window.app().statistics().summary_of(*tensor);
    return summary != nullptr && summary->nan == 1;
  }));

  // What a line of the console writes there is shown after it.
  window.app().commands().push(app::command::RunText{"shadow(grid)[1] = 7.5"});
  window.story().act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  REQUIRE(window.story().wait_for([&] { return shows("0.0 7.5 2.0 "); }));

  // Without its context nothing of it can be read, which is no reason to show nothing.
  window.app().commands().push(app::command::RunText{"driver.fake_cuda_fail(b'*', 709, 0)"});
  CHECK(window.story().wait_for([&] { return shows("? ? ? "); }));
}

}  // namespace dlscope::tests
