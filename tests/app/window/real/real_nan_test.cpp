// The NaN of a training run is found by hand: real torch in a real Python, the mouse and the keys of the window, counted.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/platform/png_file.h"
#include "app/widgets/value_marks.h"
#include "tests/app/window/real/live_window.h"
#include "tests/support/temporary_folder.h"

namespace dlscope::tests {
namespace {

// A step of the training goes wrong in one of 4096 x 4096 places: the logarithm of a probability that has become 0, times 0.
constexpr const char* kTraining = R"(import torch
torch.manual_seed(3)
side = 4096
weight = torch.zeros(1, requires_grad=True)
inputs = torch.rand(side, side) * 0.5 + 0.25
targets = torch.ones(side, side)
optimizer = torch.optim.SGD([weight], lr=0.1)
history = []
for step in range(10):
    if step == 7:
        inputs[1234, 2100] = 0.0
        targets[1234, 2100] = 0.0
    predicted = inputs * torch.exp(weight * 0.01)
    loss_map = -(targets * torch.log(predicted)) - predicted * 0.001
    loss = loss_map.mean()
    history.append(loss.item())
    if not torch.isfinite(loss):
        breakpoint()
        break
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
shown = loss_map.detach()
)";

// The heat map as it is painted, to be looked at: in the build folder (pictures/).
void save_picture(const app::HeatmapPanelState& panel, const std::string& name) {
  app::Picture picture;
  picture.width = panel.painted.width;
  picture.height = panel.painted.height;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const std::uint32_t pixel = panel.texture.pixel(x, y);
      for (unsigned shift = 0; shift < 32; shift += 8) picture.rgba.push_back(static_cast<std::byte>(pixel >> shift & 0xFF));
    }
  }
  const char* const build = std::getenv("DLSCOPE_BUILD_DIR");
  const std::filesystem::path folder =
      (build != nullptr ? std::filesystem::path(build) : std::filesystem::temp_directory_path()) / "pictures";
  std::filesystem::create_directories(folder);
  CHECK(app::write_png(picture, (folder / (name + ".png")).string()).has_value());
}

// Counts what a person does: a click or a key each.
class Person {
 public:
  explicit Person(LiveWindow& window) : window_(window) {}
  void click(const std::string& item) {
    window_.story().act([&](ImGuiTestContext* ui) { ui->ItemClick(item.c_str()); });
    ++acts_;
  }
  void press(ImGuiKey key) {
    window_.story().act([key](ImGuiTestContext* ui) { ui->KeyPress(key); });
    ++acts_;
  }
  [[nodiscard]] int acts() const { return acts_; }

 private:
  LiveWindow& window_;
  int acts_ = 0;
};

}  // namespace

TEST_CASE("the NaN of a training run of torch is found in less than six clicks and keys", "[window][host][heatmap][real]") {
  TemporaryFolder folder;
  const std::string path = folder / "train.py";
  std::ofstream(path) << kTraining;
  LiveWindow window;
  REQUIRE(window.app().load_script(path).has_value());
  window.story().frames(3);
  app::Application& app = window.app();
  Person person(window);

  person.click("//Script/▶ Run");
  REQUIRE(window.story().wait_for([&] { return window.state() == app::HostState::stopped && app.moment().at_stop; }));
  window.story().frames(5);
  CHECK(app.host().stop()->at.frames.front().line >= 18);
  const app::IndexPtr index = app.index();
  const auto map = index->find("loss_map");
  REQUIRE(map.has_value());
  person.click("//Tensors/tensors/**/$$" + std::to_string(*map) + "/##row");
  REQUIRE(app.selected() == *map);
  person.click("//Heat map/#TAB");
  app::HeatmapPanelState& panel = app.panels().heatmap;
  REQUIRE(window.story().wait_for([&] { return panel.said == "computed on all 16 777 216 values"; }));
  window.story().frames(3);
  // One of 16.7 million values is a NaN, and is seen at fit.
  const auto nan_ink = ImGui::GetColorU32(app::value_colour(app::theme_for(app.theme()), core::ValueClass::nan));
  const auto place = [&](std::int64_t row, std::int64_t column) {
    return ImVec2{static_cast<float>(panel.camera.columns.x_of(column)), static_cast<float>(panel.camera.rows.x_of(row))};
  };
  const auto pixel = [&](std::int64_t row, std::int64_t column) {
    const ImVec2 at = place(row, column);
    return panel.texture.pixel(static_cast<int>(at.x), static_cast<int>(at.y));
  };
  CHECK(pixel(1234, 2100) == nan_ink);
  CHECK(pixel(3000, 1000) != nan_ink);
  CHECK((panel.range.flags & core::kTexelNan) != 0);
  save_picture(panel, "training-nan-fit");

  person.press(ImGuiKey_N);
  constexpr std::uint64_t kBad = 1234U * 4096 + 2100;
  REQUIRE(window.story().wait_for([&] { return app.pinned().element == kBad; }));
  window.story().frames(3);
  const core::TensorRecord& record = index->tensor(*map);
  CHECK(app.pinned().bytes.begin == record.address + kBad * 4);
  person.press(ImGuiKey_0);
  REQUIRE(window.story().wait_for([&] { return panel.numbers_written > 0 && panel.said.starts_with("computed on all"); }));
  CHECK(pixel(1234, 2100) == nan_ink);
  save_picture(panel, "training-nan-numbers");
  CHECK(person.acts() < 6);

  // The script goes on from where it stood, none the wiser.
  window.story().act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiKey_F5); });
  CHECK(window.wait_for_state(app::HostState::idle));
  CHECK(app.outcome().outcome == core::Outcome::finished);
}

}  // namespace dlscope::tests
