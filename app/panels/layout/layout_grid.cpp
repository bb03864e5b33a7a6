#include "app/panels/layout/layout_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "app/models/tensors/unreadable_values.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/models/values/element_values.h"
#include "app/panels/focus_keys.h"
#include "app/panels/layout/layout_picture.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kMinSquare = 8;        // pixels: smaller cells are combined into squares
constexpr std::size_t kValueLength = 10;  // characters, of as many digits as most float32 have; longer values end in an ellipsis

bool has_values(const FrameContext& context, const LayoutPanelState& state) {
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  return context.reader != nullptr && why_no_values(*context.index->snapshot, tensor).empty();
}

// The size of a cell in which the index and most of the value can be read.
ImVec2 natural_cell(const FrameContext& context, const LayoutPanelState& state) {
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  const float character = ImGui::CalcTextSize("0").x, line = ImGui::GetTextLineHeight();
  const std::size_t index = index_text(context.index->snapshot->layout(tensor), tensor.elements - 1).size();
  const bool values = has_values(context, state);
  const std::size_t longest = std::max(std::min(index, kLongestIndex), values ? kValueLength : std::size_t{0});
  return {character * (static_cast<float>(longest) + 1), line * (values ? 2.0F : 1.0F) + context.px(4)};
}

class GridPainter : LayoutPicture {
 public:
  GridPainter(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, Commands& commands)
      : LayoutPicture(context, state, focus, commands) {}

  void draw(ImVec2 size) {
    lay_out(size);
    ImGui::InvisibleButton("grid", {std::max(size.x, 1.0F), std::max(size.y, 1.0F)});
    state_.grid_hovered = ImGui::IsItemHovered();
    follow_pinned();
    move();
    choose_squares();
    list_->PushClipRect(from_, to_, true);
    draw_headers();
    list_->PushClipRect(cells_, to_, true);
    read_values();
    draw_squares();
    draw_rings();
    list_->PopClipRect();
    list_->PopClipRect();
    hover();
  }

 private:
  void lay_out(ImVec2 size) {
    take_room(size);
    const float character = ImGui::CalcTextSize("0").x;
    const auto digits = static_cast<float>(fmt::to_string(grid_.rows()).size());
    cells_ = {from_.x + character * std::max(digits + 1, 3.0F), from_.y + ImGui::GetTextLineHeight() + context_.px(2)};
    const ImVec2 natural = natural_cell(context_, state_);
    const auto limits = [](std::int64_t length, float room, float natural_px) {
      return AxisLimits{length, std::max(1.0, static_cast<double>(room)), static_cast<double>(natural_px) * 2.5,
                        static_cast<double>(natural_px)};
    };
    rows_ = limits(grid_.rows(), to_.y - cells_.y, natural.y);
    columns_ = limits(grid_.columns(), to_.x - cells_.x, natural.x);
    state_.rows.settle(rows_);
    state_.columns.settle(columns_);
  }

  void follow_pinned() {
    const auto place = state_.reveal ? grid_.place_of(*state_.reveal) : std::nullopt;
    if (!place) return;
    state_.rows.reveal(rows_, place->row, 1);
    state_.columns.reveal(columns_, place->column, 1);
  }

  struct PixelPlace {
    double row = 0, column = 0;
  };
  // Where a key zooms while the mouse is elsewhere: at the pinned element where it is in view, else in the middle.
  [[nodiscard]] PixelPlace place_for_keys() const {
    const Focus& pinned = context_.pinned;
    const bool is_here = pinned.tensor == state_.tensor && pinned.element && *pinned.element < tensor_.elements;
    if (const auto place = is_here ? grid_.place_of(*pinned.element) : std::nullopt) {
      const PixelPlace at{(state_.rows.x_of(place->row) + state_.rows.x_of(place->row + 1)) / 2,
                          (state_.columns.x_of(place->column) + state_.columns.x_of(place->column + 1)) / 2};
      if (at.row >= 0 && at.row < rows_.room && at.column >= 0 && at.column < columns_.room) return at;
    }
    return {rows_.room / 2, columns_.room / 2};
  }

  void move() {
    const ImGuiIO& io = ImGui::GetIO();
    const double x = static_cast<double>(io.MousePos.x - cells_.x), y = static_cast<double>(io.MousePos.y - cells_.y);
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
      state_.columns.pan(columns_, static_cast<double>(io.MouseDelta.x));
      state_.rows.pan(rows_, static_cast<double>(io.MouseDelta.y));
    }
    const bool keys_are_mine = state_.grid_hovered || !state_.tape_hovered;
    if (context_.asked(ActionId::layout_view_fit) && keys_are_mine) {
      state_.columns.fit(columns_);
      state_.rows.fit(rows_);
    }
    const bool clicked_twice = state_.grid_hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    const PixelPlace at = state_.grid_hovered ? PixelPlace{std::max(0.0, y), std::max(0.0, x)} : place_for_keys();
    if ((context_.asked(ActionId::layout_view_natural) && keys_are_mine) || clicked_twice) {
      state_.columns.one_to_one(columns_, at.column);
      state_.rows.one_to_one(rows_, at.row);
    }
    if (const auto in = pressed_zoom_key(ActionContext::layout); in && keys_are_mine) {
      const double factor = *in ? kWheelFactor : 1 / kWheelFactor;
      state_.columns.zoom(columns_, at.column, factor);
      state_.rows.zoom(rows_, at.row, factor);
    }
    if (!state_.grid_hovered) return;
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // claimed beforehand: otherwise the first notch would scroll the panel
    if (io.MouseWheel != 0) {
      const double factor = std::pow(kWheelFactor, static_cast<double>(std::clamp(io.MouseWheel, -8.0F, 8.0F)));
      state_.columns.zoom(columns_, std::max(0.0, x), factor);
      state_.rows.zoom(rows_, std::max(0.0, y), factor);
    }
  }

  // Determines how many rows and columns one square stands for, and which are visible.
  void choose_squares() {
    const auto step = [&](double px) {
      return static_cast<std::int64_t>(std::max(1.0, std::ceil(static_cast<double>(context_.px(kMinSquare)) / px)));
    };
    row_step_ = step(state_.rows.px_per_unit());
    column_step_ = step(state_.columns.px_per_unit());
    first_row_ = aligned(state_.rows.unit_at(0), row_step_);
    first_column_ = aligned(state_.columns.unit_at(0), column_step_);
    last_row_ = std::min(grid_.rows(), state_.rows.unit_at(rows_.room) + 1);
    last_column_ = std::min(grid_.columns(), state_.columns.unit_at(columns_.room) + 1);
  }

  template <class Visit>
  void for_each_square(Visit visit) {
    for (std::int64_t row = first_row_; row < last_row_; row += row_step_) {
      for (std::int64_t column = first_column_; column < last_column_; column += column_step_) visit(GridPlace{row, column});
    }
  }

  void read_values() {
    state_.wanted.clear();
    state_.values.clear();
    const ImVec2 size = square();
    const bool room = size.y >= ImGui::GetTextLineHeight() * 2 && size.x >= ImGui::CalcTextSize("0.000").x;
    if (!room || row_step_ > 1 || column_step_ > 1 || !has_values(context_, state_)) return;
    for_each_square([&](GridPlace place) { state_.wanted.push_back(grid_.element(place)); });
    read_elements(*context_.index->snapshot, tensor_, *context_.reader, state_.wanted, state_.values);
  }

  void draw_headers() {
    const auto ink = [&](int axis, const ImVec4& own) {
      return ImGui::GetColorU32(axis >= 0 && axis == focus_.axis ? context_.theme.accent : own);
    };
    const ImU32 across = ink(state_.mapping.column, context_.theme.column_axis);
    const ImU32 down = ink(state_.mapping.row, context_.theme.row_axis);
    const float line = ImGui::GetTextLineHeight(), widest = ImGui::CalcTextSize(fmt::to_string(last_column_).c_str()).x;
    const std::int64_t columns = labelled_every(column_step_, state_.columns.px_per_unit(), widest + context_.px(8));
    for (std::int64_t column = aligned(first_column_ + columns - column_step_, columns);
         column < last_column_ && state_.mapping.column >= 0; column += columns) {
      const std::string text = fmt::to_string(column);
      const float width = ImGui::CalcTextSize(text.c_str()).x, x = std::max(corner_of({0, column}).x, cells_.x);
      const float at = column_step_ == 1 ? std::max(x, corner_of({0, column}).x + (square().x - width) * 0.5F) : x;
      if (at + width <= to_.x) list_->AddText({at, from_.y}, across, text.c_str());
    }
    const std::int64_t rows = labelled_every(row_step_, state_.rows.px_per_unit(), line);
    for (std::int64_t row = aligned(first_row_ + rows - row_step_, rows); row < last_row_ && state_.mapping.row >= 0;
         row += rows) {
      const float y = std::max(corner_of({row, 0}).y, cells_.y);
      const float at = row_step_ == 1 ? std::max(y, corner_of({row, 0}).y + (square().y - line) * 0.5F) : y;
      if (at + line <= to_.y) list_->AddText({from_.x, at}, down, fmt::to_string(row).c_str());
    }
  }

  // Distance of labelled indices: a whole number of squares, at least `room` pixels wide. Labels are at its multiples, so they
  // stay at their squares while the grid is panned.
  static std::int64_t labelled_every(std::int64_t step, double px_per_unit, float room) {
    const double square_px = static_cast<double>(step) * px_per_unit;
    return step * std::max(std::int64_t{1}, static_cast<std::int64_t>(std::ceil(static_cast<double>(room) / square_px)));
  }

  static std::int64_t aligned(std::int64_t first, std::int64_t by) { return std::max<std::int64_t>(first, 0) / by * by; }

  void draw_squares() {
    form_ = form_in(state_.columns.px_per_unit(), state_.tensor);
    std::size_t i = 0;
    for_each_square([&](GridPlace place) { draw_square(place, i++); });
    state_.drawn.grid_cells = static_cast<int>(i);
    state_.drawn.grid_rows = static_cast<double>(to_.y - cells_.y) / static_cast<double>(ImGui::GetTextLineHeight());
    const ImVec2 first = corner_of({first_row_, first_column_}), size = square();
    state_.drawn.first_cell = {first.x + size.x * 0.5F, first.y + size.y * 0.5F};
  }

  void draw_square(GridPlace place, std::size_t i) {
    const ImVec2 from = corner_of(place), to = far_corner_of(place);
    const std::uint64_t element = grid_.element(place);
    const ImU32 fill = shade(context_, state_, element, grid_.bit(place));
    list_->AddRectFilled(from, to, fill);
    if (row_step_ > 1 || column_step_ > 1) return;
    const float line = ImGui::GetTextLineHeight();
    if (to.y - from.y < line) return;
    const bool value = i < state_.values.size() && to.y - from.y >= line * 2;
    const float top = from.y + (to.y - from.y - line * (value ? 2.0F : 1.0F)) * 0.5F;
    const ImU32 ink = text_on(fill);
    // Above a value only the index: its number would look like another value.
    if (!value || form_ == ElementForm::index)
      centred(element_text(form_, layout_, element).c_str(), from, to, top, value ? (ink & 0x00FFFFFFU) | 0xD8000000U : ink);
    if (value && !own_) hatch(list_, {from.x, top + line}, {to.x, to.y}, (ink & 0x00FFFFFFU) | 0x50000000U, context_.px(6));
    if (value) draw_value(state_.values[i].text, from, to, top + line, ink);
  }

  // With an ellipsis where it is cut: its first digits alone would be another number.
  void draw_value(std::string_view text, ImVec2 from, ImVec2 to, float y, ImU32 ink) {
    const FittedNumber fitted = fit_number(text, to.x - from.x - context_.px(2), text_width);
    centred(LineText("{}{}{}", fitted.text, fitted.cut ? "…" : "", fitted.exponent).c_str(), from, to, y, ink);
  }

  bool centred(const char* text, ImVec2 from, ImVec2 to, float y, ImU32 ink) {
    const float width = ImGui::CalcTextSize(text).x;
    if (width > to.x - from.x - 1) return false;
    list_->AddText({from.x + (to.x - from.x - width) * 0.5F, y}, ink, text);
    return true;
  }

  // Lights the cells along the hovered axis, through the pin or the first cell of the slice.
  void draw_axis_line() {
    if (focus_.axis < 0 || row_step_ > 1 || column_step_ > 1) return;
    const auto through = grid_.place_of(focus_.through);
    if (!through) return;
    const auto cell = [](GridPlace place) {
      return CellPlace{static_cast<std::uint64_t>(place.row), static_cast<std::uint64_t>(place.column)};
    };
    for_each_square([&](GridPlace place) {
      if (!on_axis_line(state_.mapping, focus_.axis, cell(*through), cell(place))) return;
      ++state_.drawn.grid_lit;
      draw_ring(list_, context_, corner_of(place), far_corner_of(place), false);
    });
  }

  void draw_rings() {
    draw_axis_line();
    if (!focus_.lights) return;
    const bool single = row_step_ == 1 && column_step_ == 1;
    if (single) {
      for_each_square([&](GridPlace place) {
        const std::int64_t bit = grid_.bit(place);
        if (bit >= focus_.end || bit + layout_.item_bits <= focus_.begin) return;
        ++state_.drawn.grid_lit;
        draw_ring(list_, context_, corner_of(place), far_corner_of(place), false);
      });
    }
    const auto place = focus_.element ? grid_.place_of(*focus_.element) : std::nullopt;
    if (!place) return;
    const GridPlace shown{place->row / row_step_ * row_step_, place->column / column_step_ * column_step_};
    const ImVec2 from = corner_of(shown), to = far_corner_of(shown);
    if (to.x < cells_.x || to.y < cells_.y || from.x > to_.x || from.y > to_.y) return;
    if (!single) ++state_.drawn.grid_lit;
    draw_ring(list_, context_, from, to, true);
    state_.drawn.grid_from = {std::max(from.x, cells_.x), std::max(from.y, cells_.y)};
    state_.drawn.grid_to = {std::min(to.x, to_.x), std::min(to.y, to_.y)};
    state_.drawn.joined = true;  // the tape resets it when it has no place for the line
  }

  void hover() {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!ImGui::IsItemHovered() || mouse.x < cells_.x || mouse.y < cells_.y) return;
    const GridPlace place{state_.rows.unit_at(static_cast<double>(mouse.y - cells_.y)),
                          state_.columns.unit_at(static_cast<double>(mouse.x - cells_.x))};
    if (place.row < 0 || place.column < 0 || place.row >= grid_.rows() || place.column >= grid_.columns()) return;
    const Focus focus = focus_to_push(context_, state_, grid_.element(place));
    commands_.push(command::Hover{focus});
    const bool still =
        ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).x == 0 && ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 4).y == 0;
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && still) commands_.push(command::Pin{focus});
  }

  [[nodiscard]] ImVec2 square() const {
    return {static_cast<float>(state_.columns.px_per_unit()), static_cast<float>(state_.rows.px_per_unit())};
  }
  [[nodiscard]] ImVec2 corner_of(GridPlace place) const {
    return {cells_.x + static_cast<float>(state_.columns.x_of(place.column)),
            cells_.y + static_cast<float>(state_.rows.x_of(place.row))};
  }
  // One pixel before the next square, so that there is a gap.
  [[nodiscard]] ImVec2 far_corner_of(GridPlace place) const {
    const ImVec2 next =
        corner_of({std::min(place.row + row_step_, grid_.rows()), std::min(place.column + column_step_, grid_.columns())});
    return {next.x - 1, next.y - 1};
  }

  bool own_ = context_.bytes_are_its_own(state_.tensor);
  ImVec2 cells_;  // corner of the cells
  ElementForm form_ = ElementForm::none;
  AxisLimits rows_, columns_;
  std::int64_t row_step_ = 1, column_step_ = 1;
  std::int64_t first_row_ = 0, first_column_ = 0, last_row_ = 0, last_column_ = 0;
};

}  // namespace

void draw_layout_grid(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, ImVec2 size,
                      Commands& commands) {
  GridPainter(context, state, focus, commands).draw(size);
}

float natural_grid_height(const FrameContext& context, const LayoutPanelState& state) {
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  const LogicalGrid grid(context.index->snapshot->layout(tensor), state.mapping);
  const float rows = static_cast<float>(std::min<std::int64_t>(grid.rows(), 10'000));
  return rows * natural_cell(context, state).y + ImGui::GetTextLineHeight() + context.px(4);
}

}  // namespace dlscope::app
