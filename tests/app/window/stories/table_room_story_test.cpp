// How the table's panel shares its room: buttons that stay where they are, columns in a narrow window.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/story.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

// Waits until the worker's rows are on the screen.
void settle(Story& story) {
  story.frames(2);
  story.app().finish_background_work();
  story.frames(2);
}

}  // namespace

TEST_CASE("the buttons of the views stay where they are when another view is chosen", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  std::vector<float> before, after;
  const auto places = [&](std::vector<float>& out) {
    story.act([&](ImGuiTestContext* ui) {
      for (const char* label : {"//Tensors/List", "//Tensors/Tree", "//Tensors/Groups", "//Tensors/Columns"})
        out.push_back(ui->ItemInfo(label).RectFull.Min.x);
    });
  };
  places(before);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/Tree"); });
  settle(story);
  places(after);
  CHECK(before == after);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Tensors/###fold"); });
  settle(story);
  after.clear();
  places(after);
  CHECK(before == after);
}

TEST_CASE("a long name leaves room for shapes and for what is worth knowing", "[window]") {
  Story story;
  story.resize(1280, 720);
  story.frames(2);
  std::vector<SampleTensor> tensors{
      {.name = "x6", .address = 0x558120000000, .shape = {1, 3, 4, 5, 6, 7, 8}},
      {.name = "windows",
       .dtype = "int16",
       .address = 0x558120010000,
       .shape = {8, 5},
       .strides = {1, 1},
       .read_only = core::Tri::yes},
      {.name = "w", .address = 0x558120020000, .shape = {64, 64}},
      {.name = "model.encoder.layers[0].self_attention.in_projection.weight", .address = 0x558120040000, .shape = {3}},
      {.name = "records",
       .dtype = "float8_e4m3b11fnuz",
       .address = 0x558120030000,
       .shape = {100000, 100000},
       .strides = {0, 0}}};
  // Whether a column shows that much of its text without scrolling sideways.
  const auto shows = [&](app::TableColumn column, const char* text) {
    bool room = false;
    story.act([&](ImGuiTestContext* ui) {
      const ImGuiTable* table = ImGui::TableFindByID(ui->ItemInfo("//Tensors/tensors").ID);
      IM_CHECK(table != nullptr);
      const ImGuiTableColumn& at = table->Columns[static_cast<int>(column)];
      room = std::min(at.WorkMaxX, table->InnerClipRect.Max.x) - at.WorkMinX >= ImGui::CalcTextSize(text).x;
    });
    return room;
  };
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});
  story.show(snapshot_of(tensors));
  settle(story);
  CHECK(shows(app::TableColumn::badges, " overlaps itself   +1 "));
  story.app().set_scale(2);
  settle(story);
  CHECK(shows(app::TableColumn::shape, "64 × 64"));
  tensors.pop_back();
  story.show(snapshot_of(tensors));
  settle(story);
  CHECK(shows(app::TableColumn::shape, "64 × 64 "));
}

TEST_CASE("in a small window at 200 % the layers of a model are told apart in the table, and the title of the layout ends in it",
          "[window]") {
  Story story;
  story.resize(1280, 720);
  story.frames(2);
  std::vector<SampleTensor> tensors;
  for (int layer = 0; layer < 4; ++layer) {
    for (const char* part : {"self_attn.in_proj_weight", "linear1.weight", "norm2.bias"}) {
      tensors.push_back({.name = "net.encoder.layers[" + std::to_string(layer) + "]." + part,
                         .address = 0x558120000000 + tensors.size() * 0x200000,
                         .shape = {1024, 256}});
    }
  }
  story.show(snapshot_of(tensors));
  story.app().select("net.encoder.layers[2].self_attn.in_proj_weight");
  story.app().set_scale(2);
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::teach});
  settle(story);
  story.frames(6);
  ImRect table, fold;
  story.act([&](ImGuiTestContext* ui) {
    table = ui->ItemInfo("//Tensors/tensors").RectFull;
    fold = ui->ItemInfo("//Tensors/###fold").RectFull;
  });
  const ImRect panel = ImGui::FindWindowByName("Tensors")->InnerRect;
  CHECK(fold.Max.x <= panel.Max.x);
  story.frames(2);
  const std::string rows = drawn_text(table.Min, table.Max);
  INFO(rows);
  CHECK(rows.find("[2]") != std::string::npos);
  CHECK(rows.find("1024 × 256") != std::string::npos);
  std::size_t names = 0, layers = 0;
  for (std::size_t at = rows.find("1024 ×"); at != std::string::npos; at = rows.find("1024 ×", at + 1)) ++names;
  for (std::size_t at = rows.find('['); at != std::string::npos; at = rows.find('[', at + 1)) ++layers;
  CHECK(names > 4);
  CHECK(layers >= names);
  const ImRect layout = ImGui::FindWindowByName("Layout")->InnerRect;
  const std::string title = drawn_text(layout.Min, {layout.Max.x, layout.Min.y + 60});
  INFO(title);
  CHECK(title.find("float32, 1024 × 256") != std::string::npos);
  CHECK(title.find("[2]") != std::string::npos);
  CHECK(title.find("colour") == std::string::npos);  // no part of the button is drawn: the action has keys
}

}  // namespace dlscope::tests
