// A slice of a tensor: chosen in the values view or typed, copied and handed over.
#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/app/window/stories/story.h"
#include "tests/app/window/stories/working_folder.h"
#include "tests/support/local_tensor.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

using core::AxisSlice;

class SliceStory {
 public:
  explicit SliceStory(float scale = 1) : story([scale] {
    app::ApplicationOptions options;
    options.scale = scale;
    return options;
  }()) {
    story.host().found_python();
    story.host().ready();
    story.frames(3);
    story.show(snapshot_of({{.name = "x", .shape = {3, 4, 6}}, {.name = "y", .address = 0x558120002000, .shape = {5}}}));
    story.app().select("x");
    story.frames(4);
  }
  app::ExchangeState& exchange() { return story.app().panels().exchange; }
  app::ValuesPanelState& values() { return story.app().panels().values; }
  void open(app::ExchangeTab tab) {
    exchange().bring_up = tab;
    story.frames(20);
    REQUIRE(exchange().tab == tab);
  }
  void type_slice(const char* text) {
    story.act([text](ImGuiTestContext* ui) {
      ui->ItemClick("//Exchange/**/##slice");
      ui->KeyCharsReplaceEnter(text);
    });
    story.frames(2);
  }
  bool is_off(const std::string& label) {
    ImGuiTestItemInfo info;
    story.act([&](ImGuiTestContext* ui) { info = ui->ItemInfo(("//Exchange/**/" + label).c_str()); });
    return (info.ItemFlags & ImGuiItemFlags_Disabled) != 0;
  }
  void click(const std::string& label) {
    story.act([&](ImGuiTestContext* ui) { ui->ItemClick(("//Exchange/**/" + label).c_str()); });
  }
  Story story;
};

}  // namespace

TEST_CASE("a slice is typed as in Python, and copied", "[window][exchange]") {
  for (const float scale : {1.0F, 2.0F}) {
    SliceStory s(scale);
    s.open(app::ExchangeTab::copy);
    s.type_slice("1:3, ::2");
    CHECK_FALSE(s.is_off("Copy this slice"));
    s.click("Copy this slice");
    REQUIRE(s.story.wait_for([&] { return !s.story.host().work.empty(); }));
    const auto sent = std::get<core::wire::CopyTensor>(s.story.host().work.back());
    CHECK(sent.slice == std::vector{AxisSlice{0, 1, 2, 1}, AxisSlice{1, 0, 2, 2}});
    CHECK(s.story.app().tasks().all().back().title == "Copying x[1:, ::2]");
    s.story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
    s.story.frames(3);
    CHECK(s.values().mapping.slice == sent.slice);  // Values shows it
  }
}

TEST_CASE("what is no slice of the tensor is said and copied by nobody, and nothing is lost by it", "[window][exchange]") {
  SliceStory s;
  s.open(app::ExchangeTab::copy);
  s.type_slice("1:, 2");
  s.type_slice("1:, 9");
  CHECK(s.is_off("Copy this slice"));
  const std::string text = s.story.text_of_frame();
  INFO(text);
  CHECK(text.find("“1:, 9” is no slice of x, whose shape is (3, 4, 6): index 9 is outside axis 1, which has 4. Correct it, or clear "
                  "it for all of the tensor. Until then [1:, 2] is shown.") != std::string::npos);
  CHECK(s.values().mapping.slice == std::vector{AxisSlice{0, 1, 2, 1}, AxisSlice{1, 2, 1, 0}});
  // The action of menus and palette copies nothing else instead.
  s.story.app().commands().push(app::command::Ask{app::ActionId::copy_selected});
  s.story.frames(4);
  CHECK(s.story.host().work.empty());

  s.story.app().select("y");
  s.story.frames(4);
  CHECK_FALSE(s.is_off("Make the copy"));
  s.story.app().select("x");
  s.story.frames(4);
  CHECK(s.story.text_of_frame().find("“1:, 9” is no slice") != std::string::npos);
  s.click("All of it");
  s.story.frames(3);
  CHECK_FALSE(s.is_off("Make the copy"));
  CHECK(s.values().mapping.slice.empty());
}

TEST_CASE("cells are selected in the values view, shown alone and brought to the copies from its menu", "[window][exchange][values]") {
  Story story({}, false);
  const std::vector<float> data(3 * 4 * 6, 1.5F);
  auto reader = core::process_reader(0);
  REQUIRE(reader);
  story.app().read_memory_with(std::move(*reader));
  story.frames(3);
  story.show(local_tensor(data.data(), {2, 32, 1}, core::Layout::c_order({3, 4, 6}, 32)));
  story.app().select("x");
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  story.frames(3);
  app::ValuesPanelState& values = story.app().panels().values;
  const auto menu_of_cell = [&](float row, float column, const char* item) {
    const ImVec2 from = values.cells_from, size = values.cell_size;
    story.act([&](ImGuiTestContext* ui) {
      ui->MouseMoveToPos({from.x + size.x * (column + 0.5F), from.y + size.y * (row + 0.5F)});
      ui->MouseClick(ImGuiMouseButton_Right);
      ui->Yield(2);
      ui->ItemClick((std::string("//$FOCUSED/") + item).c_str());
    });
    story.frames(4);
  };
  values.mapping.fixed[0] = 2;  // the third page
  story.frames(3);
  values.range = app::CellRange{{1, 4}, {2, 2}};
  menu_of_cell(1, 2, "Show only the selection");
  const std::vector chosen{AxisSlice{0, 2, 1, 0}, AxisSlice{1, 1, 2, 1}, AxisSlice{2, 2, 3, 1}};
  CHECK(values.mapping.slice == chosen);
  REQUIRE(values.grid);
  CHECK((values.grid->rows() == 2 && values.grid->columns() == 3));
  CHECK((values.grid->row_index(0) == 1 && values.grid->column_index(0) == 2));
  values.range = app::CellRange{{1, 1}, {1, 2}};
  menu_of_cell(0, 0, "Copy or hand over the selection …");
  story.frames(20);
  CHECK(story.app().panels().exchange.tab == app::ExchangeTab::copy);
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Values"); });
  story.frames(3);
  CHECK(values.mapping.slice == std::vector{AxisSlice{0, 2, 1, 0}, AxisSlice{1, 2, 1, 1}, AxisSlice{2, 3, 2, 1}});
  menu_of_cell(0, 0, "Show all of the tensor");
  CHECK(values.mapping.slice.empty());

  // While the text is wrong, the slice that is still shown is not exported in its place.
  story.app().commands().push(app::command::ChooseSlice{"1, 99"});
  story.frames(3);
  story.app().commands().push(app::command::ExportTensor{core::TensorFileFormat::npy, values.mapping});
  REQUIRE(story.wait_for([&] { return !story.app().notices().all().empty(); }));
  const std::string said(story.app().notices().all().back().text);
  CHECK(said.find("x is not exported. “1, 99” is no slice of x") != std::string::npos);

  // The menu File exports the slice, too.
  const WorkingFolder folder;
  story.app().commands().push(app::command::ChooseSlice{"1, 2:4"});
  story.frames(3);
  story.app().commands().push(app::command::Ask{app::ActionId::export_npy});
  REQUIRE(story.wait_for([&] { return !folder.file_with(".npy").empty() && story.app().notices().all().size() > 1; }));
  const std::string done(story.app().notices().all().back().text);
  INFO(done);
  CHECK(done.starts_with("x[1, 2:] (float32, 2 × 6) was exported as"));
}

}  // namespace dlscope::tests
