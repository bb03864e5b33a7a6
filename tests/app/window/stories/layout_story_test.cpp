// The layout view in the whole window, by mouse and keys: grid and tape light the same bytes as every other view.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/values/value_grid.h"
#include "core/memory/memory_reader.h"
#include "tests/app/window/stories/drawn_text.h"
#include "tests/app/window/stories/story_windows.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

// 0.5 and -1.2345678e-05.
class TwoFloats final : public core::MemoryReader {
 public:
  static constexpr core::Address kAddress = 0x55812e404a80;
  std::size_t read(core::Address from, std::span<std::byte> out) const override {
    constexpr std::array<float, 2> kValues{0.5F, -1.2345678e-05F};
    const std::size_t skipped = static_cast<std::size_t>(from - kAddress);
    if (from < kAddress || skipped > sizeof kValues) return 0;
    const std::size_t count = std::min(out.size(), sizeof kValues - skipped);
    std::memcpy(out.data(), reinterpret_cast<const std::byte*>(kValues.data()) + skipped, count);
    return count;
  }
};

app::LayoutPanelState& view(Story& story) { return story.app().panels().layout; }

// The layout view large in the middle, on one tensor.
void look_at(Story& story, const core::SnapshotPtr& snapshot, const std::string& name) {
  story.frames(2);
  story.show(snapshot);
  story.app().select(name);
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_2); });
  story.frames(6);
  REQUIRE(view(story).drawn.grid_cells > 0);
}

// Where a cell is, counted from the upper left one in sight.
ImVec2 cell(Story& story, int row, int column) {
  const app::LayoutPanelState& state = view(story);
  const auto px = [](double size, int steps) { return static_cast<float>(size * steps); };
  return {state.drawn.first_cell.x + px(state.columns.px_per_unit(), column),
          state.drawn.first_cell.y + px(state.rows.px_per_unit(), row)};
}

void point_at(Story& story, ImVec2 where) {
  story.act([where](ImGuiTestContext* ui) {
    ui->MouseMoveToPos(where);
    ui->Yield(2);
  });
}

ImVec2 middle(ImVec2 from, ImVec2 to) { return {(from.x + to.x) * 0.5F, (from.y + to.y) * 0.5F}; }

}  // namespace

TEST_CASE("+ and - zoom the grid and the tape, each alone where the mouse is on it", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "w", .shape = {300, 300}}}), "w");
  const auto sizes = [&] { return std::pair(view(story).rows.px_per_unit(), view(story).tape.px_per_unit()); };
  const auto press = [&](ImGuiKey key) {
    story.act([key](ImGuiTestContext* ui) {
      ui->KeyPress(key);
      ui->Yield(2);
    });
  };
  story.act([](ImGuiTestContext* ui) { ui->WindowFocus("//Layout"); });
  point_at(story, {2, 2});
  const auto fitted = sizes();
  press(ImGuiKey_Equal);
  const auto both = sizes();
  CHECK((both.first > fitted.first && both.second > fitted.second));
  point_at(story, cell(story, 2, 2));
  press(ImGuiKey_Minus);
  const auto grid = sizes();
  CHECK((grid.first < both.first && grid.second == both.second));
}

TEST_CASE("A cell of a transposed view lights its bytes on the tape and in every other view", "[window][layout]") {
  Story story;
  look_at(story, tour_snapshot(), "y");
  CHECK(view(story).drawn.grid_cells == 12);
  CHECK(view(story).drawn.tape_pieces >= 12);
  CHECK(view(story).drawn.strips >= 3);  // x and t lie on the same addresses
  CHECK(view(story).drawn.grid_lit == 0);

  point_at(story, cell(story, 1, 2));
  const app::Focus focus = story.app().focus();
  REQUIRE(focus.element == 5);  // y[1, 2]
  const core::SnapshotPtr snapshot = story.app().index()->snapshot;
  const core::TensorRecord& y = *snapshot->find("y");
  CHECK(focus.bytes == core::ByteRange{y.address + 36, y.address + 40});
  CHECK(view(story).drawn.grid_lit == 1);
  CHECK(view(story).drawn.tape_lit == 1);
  CHECK(view(story).drawn.joined);
  CHECK(story.app().panels().memory.lit == focus.bytes);
  CHECK(story.app().panels().inspector.lit == focus.bytes);
  REQUIRE(story.app().panels().status.focus.last() != nullptr);
  CHECK(story.app().panels().status.focus.last()->whole.find("y[1, 2]") != std::string::npos);
  // The tape's end of the line is the tenth of twelve cells.
  const auto& drawn = view(story).drawn;
  const double cell_px = view(story).tape.px_per_unit() * 32;
  CHECK(std::abs(drawn.tape_to.x - drawn.tape_from.x - static_cast<float>(cell_px)) < 1);
  // The values view would light exactly this cell, the map has a block for it, the status bar says who else is there.
  const app::ValueGrid grid(snapshot, focus.tensor, app::default_mapping(2));
  CHECK(grid.bytes(1, 2) == focus.bytes);
  REQUIRE_FALSE(story.app().index()->map.lanes.empty());
  CHECK(story.app().index()->map.lanes[0].block_at_address(focus.bytes.begin).has_value());
  const std::string sentence = app::focus_sentence(*story.app().index(), focus);
  CHECK(sentence.find("x[2, 1]") != std::string::npos);

  // And back: the tape cell lights the grid cell.
  point_at(story, middle(drawn.tape_from, drawn.tape_to));
  CHECK(story.app().focus() == focus);
  CHECK(view(story).drawn.grid_lit == 1);
}

TEST_CASE("A value that is longer than its cell begins with its digits and ends in an ellipsis", "[window][layout]") {
  Story story({}, false);
  story.app().read_memory_with(std::make_shared<TwoFloats>());
  look_at(story, snapshot_of({{.name = "w", .address = TwoFloats::kAddress, .shape = {2}}}), "w");
  const ImVec2 first = cell(story, 0, 0), second = cell(story, 0, 1);
  const ImVec2 half{(second.x - first.x) * 0.5F, static_cast<float>(view(story).rows.px_per_unit()) * 0.5F};
  const auto text = [&](ImVec2 at) { return drawn_text({at.x - half.x, at.y - half.y}, {at.x + half.x, at.y + half.y}); };
  CHECK(text(first).find("0.5") != std::string::npos);
  CHECK(text(second).find("-1.2") != std::string::npos);
  CHECK(text(second).find("…e-05") != std::string::npos);
}

TEST_CASE("Arrow keys move the focus through the grid, from the first element on", "[window][layout]") {
  Story story;
  look_at(story, tour_snapshot(), "y");
  const auto press = [&](ImGuiKey key) {
    story.act([key](ImGuiTestContext* ui) {
      ui->WindowFocus("//Layout");
      ui->KeyPress(key);
      ui->Yield(2);
    });
    return story.app().pinned().element;
  };
  CHECK(press(ImGuiKey_RightArrow) == 0);
  CHECK(press(ImGuiKey_RightArrow) == 1);
  CHECK(press(ImGuiKey_DownArrow) == 4);
  CHECK(view(story).drawn.grid_lit == 1);
}

TEST_CASE("A tape cell of a broadcast lights all its copies in the grid", "[window][layout]") {
  Story story;
  look_at(story, tour_snapshot(), "w");
  point_at(story, cell(story, 3, 1));
  CHECK(view(story).drawn.grid_lit == 4);
  CHECK(view(story).drawn.tape_lit == 1);
}

TEST_CASE("Below the tape of a sliding window is drawn how often each byte is reached", "[window][layout]") {
  Story story;
  const auto snapshot = snapshot_of({{.name = "windows", .address = 0x558120001000, .shape = {10, 3}, .strides = {1, 1}},
                                     {.name = "plain", .address = 0x558120002000, .shape = {12}}});
  look_at(story, snapshot, "windows");
  CHECK(view(story).drawn.reach_pieces == 5);  // 1, 2, 3, 2, 1 times
  CHECK(view(story).reach_words == "8 B are reached once, 8 B twice and 32 B 3 times.");
  story.app().select("plain");
  story.frames(3);
  CHECK(view(story).drawn.reach_pieces == 0);
}

TEST_CASE("A hole of one tensor is pointed at without an element", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "odd", .address = 0x558120001000, .shape = {6}, .strides = {2}}}), "odd");
  point_at(story, cell(story, 0, 0));
  const auto drawn = view(story).drawn;
  point_at(story, {drawn.tape_to.x + (drawn.tape_to.x - drawn.tape_from.x) * 0.5F, (drawn.tape_from.y + drawn.tape_to.y) * 0.5F});
  CHECK(story.app().focus().on_tensor());
  CHECK_FALSE(story.app().focus().element.has_value());
  CHECK(view(story).drawn.grid_lit == 0);
}

TEST_CASE("The wheel keeps what is under the mouse, F shows everything again, 0 is 1:1", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "big", .address = 0x558120001000, .shape = {100'000, 1000}}}), "big");
  CHECK(view(story).drawn.grid_cells < 20'000);
  CHECK(view(story).drawn.tape_pieces < 4000);
  const ImVec2 where = {cell(story, 0, 0).x + 200, cell(story, 0, 0).y + 60};
  point_at(story, where);
  REQUIRE(story.app().focus().element.has_value());
  story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiKey_0);
    ui->Yield(3);
  });
  const auto at_natural = story.app().focus().element;
  REQUIRE(at_natural.has_value());
  CHECK(view(story).drawn.joined);
  story.act([](ImGuiTestContext* ui) {
    ui->MouseWheelY(3);
    ui->Yield(3);
  });
  CHECK(story.app().focus().element == at_natural);
  CHECK_FALSE(view(story).rows.fitted());
  story.act([](ImGuiTestContext* ui) {
    ui->KeyPress(ImGuiKey_F);
    ui->Yield(3);
  });
  CHECK(view(story).rows.fitted());
  CHECK(view(story).columns.fitted());
}

TEST_CASE("Zooming the tape keeps the byte under the mouse", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "long", .address = 0x558120001000, .shape = {1'000'000'000}}}), "long");
  point_at(story, {cell(story, 0, 0).x + 20, cell(story, 0, 0).y});  // inside the first square, which stands for many
  const ImVec2 tape = middle(view(story).drawn.tape_from, view(story).drawn.tape_to);
  point_at(story, {tape.x + 300, tape.y});
  for (int i = 0; i < 12; ++i) {
    story.act([](ImGuiTestContext* ui) { ui->MouseWheelY(8); });
  }
  story.act([](ImGuiTestContext* ui) { ui->Yield(3); });  // the engine's mouse is there only while it acts
  const auto element = story.app().focus().element;
  REQUIRE(element.has_value());
  const double px = view(story).tape.px_per_unit();
  story.act([](ImGuiTestContext* ui) {
    ui->MouseWheelY(-2);
    ui->Yield(3);
  });
  CHECK(view(story).tape.px_per_unit() < px);
  CHECK(story.app().focus().element == element);
}

TEST_CASE("The words above give way before the pictures of a small window do", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "cube", .dtype = "int32", .shape = {2, 3, 4, 5, 60, 70}}}), "cube");
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
    for (const float scale : {1.0F, 2.0F, 3.0F}) {
      story.resize(size.x, size.y);
      story.app().commands().push(app::command::SetScale{scale});
      story.frames(8);
      story.act([](ImGuiTestContext* ui) {
        ui->WindowFocus("//Layout");
        ui->KeyPress(ImGuiKey_0);
        ui->Yield(3);
      });
      INFO(scale << ", " << size.x << " x " << size.y);
      const auto& drawn = view(story).drawn;
      CHECK(drawn.grid_rows >= 3);
      CHECK(drawn.tape_pieces > 0);
    }
  }
}

TEST_CASE("The address formula and the tape are whole at 150 and 300 %", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "image", .shape = {2, 3, 4, 5}}}), "image");
  for (const float scale : {1.0F, 1.5F, 3.0F}) {
    story.app().commands().push(app::command::SetScale{scale});
    story.frames(8);
    bring_up(story, "//Layout");
    story.frames(3);
    INFO(scale);
    const auto& state = view(story);
    CHECK(state.drawn.formula_lines >= 1);
    CHECK(state.drawn.formula_left_out == 0);
    CHECK(state.tape.fitted());
    CHECK(state.drawn.tape_pieces >= 1);
    CHECK(state.drawn.grid_rows >= 3);
    // At the last element, whose formula is longest, it takes the same lines.
    const int lines = state.drawn.formula_lines;
    const app::Focus last = app::focus_on(*story.app().index(), story.app().selected(), 119);
    story.app().commands().push(app::command::Pin{last});
    story.frames(3);
    CHECK(state.drawn.formula_left_out == 0);
    CHECK(state.drawn.formula_lines == lines);
  }
  // In a narrow panel it goes on below, as far as there is room.
  story.app().commands().push(app::command::SetScale{3.0F});
  story.resize(1280, 1080);
  story.frames(8);
  bring_up(story, "//Layout");
  story.frames(3);
  CHECK(view(story).drawn.formula_lines >= 2);
  CHECK(view(story).drawn.formula_left_out == 0);
}

TEST_CASE("Pointing at an axis lights the elements along it", "[window][layout]") {
  Story story;
  look_at(story, tour_snapshot(), "y");  // 4 x 3, transposed
  const auto point_at_axis = [&](const char* axis) {
    story.act([axis](ImGuiTestContext* ui) {
      ui->MouseMove(("//Layout/**/" + std::string(axis)).c_str());
      ui->Yield(3);
    });
  };
  point_at_axis("##axis0");
  CHECK(story.app().focus().axis == 0);
  CHECK(view(story).drawn.grid_lit == 4);
  CHECK(view(story).drawn.tape_lit == 4);
  point_at_axis("##axis1");
  CHECK(view(story).drawn.grid_lit == 3);
  CHECK(view(story).drawn.tape_lit == 3);
  point_at(story, {2, 2});
  CHECK(story.app().focus().axis == -1);
  CHECK(view(story).drawn.grid_lit == 0);
}

TEST_CASE("Swapping the pickers turns the grid", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "c", .address = 0x558120001000, .shape = {2, 3, 4}}}), "c");
  CHECK(view(story).drawn.grid_cells == 12);
  story.act([](ImGuiTestContext* ui) { ui->ItemClick("//Layout/swap"); });
  story.frames(2);
  CHECK(view(story).mapping.row == 2);
  CHECK(view(story).mapping.column == 1);
  CHECK(view(story).drawn.grid_cells == 12);
}

TEST_CASE("A pinned element brings its slice and its place into view", "[window][layout]") {
  Story story;
  look_at(story, snapshot_of({{.name = "c", .address = 0x558120001000, .shape = {50, 30, 40}}}), "c");
  const std::uint64_t element = (41 * 30 + 17) * 40 + 3;
  story.app().commands().push(app::command::Pin{app::focus_on(*story.app().index(), story.app().selected(), element)});
  story.frames(4);
  CHECK(view(story).mapping.fixed[0] == 41);
  CHECK(view(story).drawn.grid_lit == 1);
  CHECK(view(story).drawn.joined);
}

TEST_CASE("What has no picture is said in words", "[window][layout]") {
  Story story;
  story.frames(2);
  story.show(broken_snapshot());
  story.act([](ImGuiTestContext* ui) { ui->KeyPress(ImGuiMod_Ctrl | ImGuiKey_2); });
  for (const core::TensorRecord& tensor : story.app().index()->snapshot->tensors) {
    const std::string name(story.app().index()->snapshot->name(tensor));
    INFO(name);
    story.app().select(name);
    story.frames(3);
    const bool drawable = tensor.has_layout && tensor.elements > 0;
    CHECK((view(story).drawn.grid_cells > 0) == drawable);
  }
}

TEST_CASE("Thirty-two axes and a scalar have a picture", "[window][layout]") {
  Story story;
  std::vector<std::int64_t> shape(32, 1);
  shape[3] = 2;
  shape[10] = shape[20] = shape[31] = 3;
  look_at(
      story,
      snapshot_of({{.name = "deep", .address = 0x558120001000, .shape = shape}, {.name = "point", .address = 0x558120002000}}),
      "deep");
  CHECK(view(story).drawn.grid_cells == 3);
  CHECK(view(story).facts.size() == 32);
  story.app().select("point");
  story.frames(3);
  CHECK(view(story).drawn.grid_cells == 1);
  CHECK(view(story).drawn.tape_pieces == 1);
}

}  // namespace dlscope::tests
