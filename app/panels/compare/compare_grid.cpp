#include "app/panels/compare/compare_grid.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/models/focus/focus_text.h"
#include "app/models/text/format.h"
#include "app/panels/compare/comparison_pane.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

constexpr std::uint64_t kMaxCells = 4000;  // of each side, so that a frame can read and draw them
constexpr float kGap = 12;                  // between the sides, at 100 %
constexpr float kStaleHatch = 0.35F;        // pale, so that the numbers below stay readable

// The matrices that a tensor with more than two axes consists of.
struct Matrices {
  std::uint64_t count = 1, rows = 1, columns = 1;
  [[nodiscard]] std::uint64_t each() const { return rows * columns; }
};

Matrices matrices_of(core::LayoutView layout) {
  Matrices all;
  const std::size_t rank = layout.shape.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const auto extent = static_cast<std::uint64_t>(layout.shape[d]);
    (d + 1 == rank ? all.columns : d + 2 == rank ? all.rows : all.count) *= extent;
  }
  return all;
}

// How much of a matrix fits, and where its two sides are drawn.
struct View {
  ImVec2 from;
  ImVec2 cell;
  float labels = 0;  // width of the row numbers
  float side = 0;    // width of one side, labels left out
  std::uint64_t rows = 0, columns = 0;
};

View view_of(const FrameContext& context, const CompareGridState& state, const Matrices& all) {
  View view;
  view.from = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = ImGui::CalcTextSize("0").x;
  view.cell = {std::max(state.cell_width, em * 4) + context.px(10), ImGui::GetTextLineHeight() + context.px(4)};
  view.labels = em * static_cast<float>(std::max<std::size_t>(grouped(all.rows - 1).size(), 1)) + context.px(8);
  view.side = std::max(0.0F, (room.x - view.labels - context.px(kGap)) / 2);
  const auto fits = [](float length, float each) { return static_cast<std::uint64_t>(std::max(0.0F, length / each)); };
  view.columns = std::min(fits(view.side, view.cell.x), all.columns);
  view.rows = std::min({fits(room.y, view.cell.y) - std::min<std::uint64_t>(fits(room.y, view.cell.y), 1), all.rows,
                        kMaxCells / std::max<std::uint64_t>(view.columns, 1)});
  return view;
}

// The choice of the shown matrix.
void draw_slice_choice(const FrameContext& context, CompareGridState& state, const Matrices& all, core::LayoutView layout) {
  if (all.count < 2) return;
  const std::string index = index_text(layout, state.outer * all.each());
  // "[3, 0, 0, 0]" without the indices of row and column.
  const std::string_view outer = std::string_view(index).substr(0, index.rfind(',', index.rfind(',') - 1));
  draw_text(LineText("{}, rows, columns]", outer));
  ImGui::SameLine();
  const std::uint64_t least = 0, most = all.count - 1;
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, context.px(320)));
  ImGui::SliderScalar("##slice", ImGuiDataType_U64, &state.outer, &least, &most, LineText("%llu of {}", grouped(most)).c_str());
  explain("Which matrix of the tensors is shown, of all in C order: the axes before the last two. The pin moves it, too.");
}

void scroll(CompareGridState& state) {
  const float wheel = ImGui::GetIO().MouseWheel, across = ImGui::GetIO().MouseWheelH;
  const auto move = [](std::uint64_t& at, float by) {
    const auto steps = static_cast<std::uint64_t>(std::abs(by) * 3 + 0.5F);
    at = by > 0 ? at - std::min(at, steps) : at + steps;
  };
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
  if (wheel != 0) move(ImGui::GetIO().KeyShift ? state.column : state.row, wheel);
  if (across != 0) move(state.column, across);
}

// Scrolls an element into view, a third from the top.
void reveal(CompareGridState& state, const Matrices& all, const View& view, std::uint64_t element) {
  state.outer = element / all.each();
  const std::uint64_t row = element % all.each() / all.columns, column = element % all.columns;
  if (row < state.row || row >= state.row + view.rows) state.row = row - std::min(row, view.rows / 3);
  if (column < state.column || column >= state.column + view.columns) state.column = column - std::min(column, view.columns / 3);
}

struct Cell {
  ImVec2 from, to;
};

struct CellLook {
  bool own = true, differs = false;
  FocusMark mark = FocusMark::none;
};

Cell cell_at(const FrameContext& context, const View& view, int side, std::uint64_t row, std::uint64_t column) {
  const float left = view.from.x + view.labels + static_cast<float>(side) * (view.side + context.px(kGap));
  const ImVec2 from{left + static_cast<float>(column) * view.cell.x, view.from.y + static_cast<float>(row + 1) * view.cell.y};
  return {from, {from.x + view.cell.x, from.y + view.cell.y}};
}

void draw_labels(const FrameContext& context, const CompareGridState& state, const View& view) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ImU32 dim = ImGui::GetColorU32(context.theme.dim);
  const auto right_aligned = [&](const std::string& text, float right, float y) {
    list->AddText({right - ImGui::CalcTextSize(text.c_str()).x, y}, dim, text.c_str());
  };
  for (std::uint64_t row = 0; row < view.rows; ++row)
    right_aligned(grouped(state.row + row), view.from.x + view.labels - context.px(6),
                  cell_at(context, view, 0, row, 0).from.y + context.px(2));
  for (int side = 0; side < 2; ++side) {
    const float left = cell_at(context, view, side, 0, 0).from.x;
    for (std::uint64_t column = 0; column < view.columns; ++column)
      right_aligned(grouped(state.column + column), left + static_cast<float>(column + 1) * view.cell.x - context.px(5),
                    view.from.y);
    list->AddText({left, view.from.y}, ImGui::GetColorU32(context.theme.accent), side == 0 ? "A" : "B");
  }
}

FocusMark mark_of(const FrameContext& context, std::uint64_t element) {
  const auto is = [&](const Focus& focus) { return element_of_two(context, focus) == element; };
  return is(context.pinned) ? FocusMark::pinned : is(context.hover) ? FocusMark::hovered : FocusMark::none;
}

void draw_cell(const FrameContext& context, ComparedCells& drawn, const Cell& at, const GridCell& value, CellLook look) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  if (look.differs) {
    ImVec4 tint = context.theme.bad;
    tint.w = 0.22F;
    list->AddRectFilled(at.from, at.to, ImGui::GetColorU32(tint));
    ++drawn.marked;
  }
  fill_focus(list, at.from, at.to, context.theme, look.mark);
  if (!look.own) {
    hatch_present_bytes(context, at.from, at.to);
    ++drawn.hatched;
  }
  const ImVec4& colour = !value.readable ? context.theme.unknown
                         : !look.own     ? context.theme.dim
                                         : value_colour(context.theme, value.value_class);
  const float width = ImGui::CalcTextSize(value.text.c_str()).x;
  list->PushClipRect(at.from, at.to, true);
  const float left = std::max(at.from.x + context.px(2), at.to.x - context.px(5) - width);
  list->AddText({left, at.from.y + context.px(2)}, ImGui::GetColorU32(colour), value.text.c_str());
  list->PopClipRect();
  if (value.readable && look.own) mark_value(list, at.from, at.to, left, context.theme, value.value_class, context.scale);
  outline_focus(list, at.from, at.to, context.theme, look.mark, context.scale);
}

void draw_cells(const FrameContext& context, const CompareGridState& state, ComparedCells& drawn, const View& view,
                const SideOfTwo& a, const SideOfTwo& b, Commands& commands) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsItemHovered();
  for (std::size_t i = 0; i < state.cells.size(); ++i) {
    const SideBySide& pair = state.cells[i];
    const FocusMark mark = mark_of(context, pair.element);
    for (int side = 0; side < 2; ++side) {
      const Cell at = cell_at(context, view, side, i / view.columns, i % view.columns);
      draw_cell(context, drawn, at, side == 0 ? pair.a : pair.b, {side == 0 ? a.own : b.own, pair.differs, mark});
      if (!hovered || mouse.x < at.from.x || mouse.x >= at.to.x || mouse.y < at.from.y || mouse.y >= at.to.y) continue;
      commands.push(command::Hover{focus_of_two(context, side == 0 ? ComparePicture::a : ComparePicture::b, pair.element)});
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
        commands.push(command::Pin{focus_of_two(context, ComparePicture::a, pair.element)});
      explain([&] {
        return fmt::format("{}\nA: {}\nB: {}{}", index_text(a.layout, pair.element), compared_text(pair.a, a.own),
                           compared_text(pair.b, b.own),
                           pair.difference.empty() ? std::string() : "\nA - B: " + pair.difference);
      });
    }
  }
}

}  // namespace

std::string compared_text(const GridCell& cell, bool own) {
  return own || !cell.readable ? cell.text : cell.text + " (present bytes, not compared)";
}

void hatch_present_bytes(const FrameContext& context, ImVec2 from, ImVec2 to) {
  ImVec4 colour = context.theme.unknown;
  colour.w *= kStaleHatch;
  hatch(ImGui::GetWindowDrawList(), from, to, ImGui::GetColorU32(colour), context.px(8));
}

void draw_compare_grid(const FrameContext& context, CompareGridState& state, ComparedCells& drawn, const SideOfTwo& a,
                       const SideOfTwo& b, Commands& commands) {
  const Matrices all = matrices_of(a.layout);
  state.cells.clear();
  state.outer = std::min(state.outer, all.count - 1);
  draw_slice_choice(context, state, all, a.layout);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const View view = view_of(context, state, all);
  const auto element = element_of_two(context, context.pinned);
  if (std::exchange(state.shown, element) != element && element) reveal(state, all, view, *element);
  scroll(state);
  state.row = std::min(state.row, all.rows - view.rows);
  state.column = std::min(state.column, all.columns - view.columns);
  if (view.rows > 0 && view.columns > 0) {
    const ElementRows wanted{state.outer * all.each() + state.row * all.columns + state.column, view.rows, view.columns,
                             all.columns};
    read_side_by_side(a, b, wanted, state.cells);
    ImGui::InvisibleButton("##cells", {ImGui::GetContentRegionAvail().x, view.cell.y * static_cast<float>(view.rows + 1)});
    draw_labels(context, state, view);
    draw_cells(context, state, drawn, view, a, b, commands);
    for (const SideBySide& cell : state.cells)
      for (const GridCell* one : {&cell.a, &cell.b})
        state.cell_width = std::max(state.cell_width, ImGui::CalcTextSize(one->text.c_str()).x);
  }
  ImGui::PopFont();
}

}  // namespace dlscope::app
