// Stories of the tensor table's columns: chosen, as wide as their content, narrow and large.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>
#include <vector>

#include <imgui_internal.h>

#include "app/widgets/marks.h"
#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/table_steps.h"

namespace dlscope::tests {

TEST_CASE("columns are chosen behind a visible button", "[window]") {
  Story story;
  story.frames(2);
  story.show(tour_snapshot());
  const auto column = [](app::TableColumn c) { return static_cast<std::size_t>(c); };
  const auto& shown = story.app().panels().tensors.shown;
  story.app().commands().push(app::command::SelectTensor{0});
  story.frames(2);
  CHECK_FALSE(shown[column(app::TableColumn::address)]);
  CHECK(shown[column(app::TableColumn::shape)]);
  story.act([](ImGuiTestContext* ui) {
    ui->ItemClick("//Tensors/Columns");
    ui->SetRef("//$FOCUSED");
    ui->ItemClick("Address");
    ui->ItemClick("Shape");
    ui->KeyPress(ImGuiKey_Escape);
  });
  story.frames(3);
  CHECK(shown[column(app::TableColumn::address)]);
  CHECK_FALSE(shown[column(app::TableColumn::shape)]);
  CHECK(selected(story) == "x");  // Escape closed the list, no more
  story.resize(1280, 720);        // chosen columns stay, and the table scrolls
  story.frames(3);
  CHECK(shown[column(app::TableColumn::address)]);
  CHECK(shown[column(app::TableColumn::device)]);
  story.act([](ImGuiTestContext* ui) {
    ui->MouseMove("//Tensors/**/Name");
    ui->MouseClick(ImGuiMouseButton_Right);  // the same choice, on a header
    ui->SetRef("//$FOCUSED");
    ui->ItemClick("Columns that fit");
    ui->KeyPress(ImGuiKey_Escape);
  });
  story.frames(3);
  CHECK_FALSE(shown[column(app::TableColumn::address)]);
  CHECK(shown[column(app::TableColumn::shape)]);
}

TEST_CASE("columns get what their content needs, a border drawn by hand stays, a double click gives it back", "[window]") {
  Story story;
  story.frames(2);
  story.show(model_snapshot());
  story.frames(3);
  const auto width = [&](app::TableColumn c) { return story.app().panels().tensors.widths.given[static_cast<std::size_t>(c)]; };
  const auto needs = [&](const char* text) { return ImGui::CalcTextSize(text).x; };
  story.app().commands().push(app::command::SetLayout{app::LayoutPreset::verify});
  story.frames(4);
  CHECK(width(app::TableColumn::name) >= needs("net.encoder.layers[0].self_attn.in_proj_weight"));
  CHECK(width(app::TableColumn::shape) >= needs("384 × 128"));
  const float own = width(app::TableColumn::name);
  ImGuiTable* table = nullptr;
  const auto border = [&](ImGuiTestContext* ui) {
    table = ImGui::TableFindByID(ui->ItemInfo("//Tensors/tensors").ID);
    IM_CHECK(table != nullptr);
    ui->MouseMoveToPos({table->Columns[0].MaxX, table->InnerClipRect.Min.y + 5});
  };
  story.act([&](ImGuiTestContext* ui) {
    border(ui);
    ui->MouseDown();
    ui->MouseMoveToPos({table->Columns[0].MaxX - 120, ui->UiContext->IO.MousePos.y});
    ui->MouseUp();
    ui->MouseMoveToPos({5, 5});
    ui->Yield(3);
  });
  CHECK(width(app::TableColumn::name) < own - 60);
  story.show(model_snapshot());
  story.frames(2);
  CHECK(width(app::TableColumn::name) < own - 60);  // kept
  story.act([&](ImGuiTestContext* ui) {
    border(ui);
    ui->MouseDoubleClick();
    ui->Yield(4);
  });
  CHECK(width(app::TableColumn::name) == own);
}

TEST_CASE("a narrow table at 200 % cuts no button, no shape, and its tooltips have the other names", "[window]") {
  Story story;
  story.resize(1280, 720);
  story.app().set_scale(2);
  story.frames(2);
  std::vector<SampleTensor> tensors(3);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i] = {.name = "net.layers[" + std::to_string(i) + "].in_proj_weight",
                  .address = 0x558120010000 + i * 0x10000,
                  .shape = {4096, 256, 1, 1, 1, 1},
                  .more_names = {"optimizer.param_groups[0]['params'][25]"}};
  }
  story.show(snapshot_of(tensors));
  settle(story);
  std::string name, shape;
  story.act([&](ImGuiTestContext* ui) {
    for (const char* label : {"//Tensors/List", "//Tensors/Tree", "//Tensors/Groups", "//Tensors/Columns"}) {
      const ImGuiTestItemInfo button = ui->ItemInfo(label);
      IM_CHECK(button.RectFull.Max.x <= button.RectClipped.Max.x);
    }
    const ImGuiTable* table = ImGui::TableFindByID(ui->ItemInfo("//Tensors/tensors").ID);
    IM_CHECK(table != nullptr);
    const float row = table->InnerClipRect.Min.y + ImGui::GetTextLineHeightWithSpacing() * 1.5F;
    const auto said_at = [&](float x) {
      ui->MouseMoveToPos({x, row});
      ui->Yield(2);
      return std::string(app::meaning_under_mouse());
    };
    const ImGuiTableColumn& column = table->Columns[static_cast<int>(app::TableColumn::shape)];
    IM_CHECK(column.WorkMinX < table->InnerClipRect.Max.x && column.WorkMaxX > table->InnerClipRect.Max.x);
    shape = said_at(column.WorkMinX + 4);
    name = said_at(table->Columns[0].WorkMinX + ImGui::GetFontSize() * 3);
  });
  CHECK(shape.starts_with("4096 × 256"));  // what the cell has no room for
  CHECK(name.find("net.layers[0].in_proj_weight") != std::string::npos);
  CHECK(name.find("Also called optimizer.param_groups[0]['params'][25]") != std::string::npos);
}

}  // namespace dlscope::tests
