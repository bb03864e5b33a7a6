// The mouse and the keys in the table of numbers.
#include <fmt/core.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/models/focus/focus_text.h"
#include "app/models/text/element_description.h"
#include "app/models/text/format.h"
#include "app/models/values/not_a_time.h"
#include "app/panels/focus_keys.h"
#include "app/panels/values/value_table.h"
#include "app/widgets/marks.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

constexpr int kWheelRows = 3;

void scroll(std::uint64_t& first, std::uint64_t last, float wheel, int step) {
  if (wheel == 0) return;
  const auto by = static_cast<std::uint64_t>(std::max(1.0F, std::abs(wheel) * static_cast<float>(step)));
  first = wheel > 0 ? first - std::min(first, by) : std::min(last, first + by);
}

}  // namespace

void ValueTable::scroll_by_wheel() {
  if (!hovered_) return;
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  if (io.KeyCtrl) {
    if (io.MouseWheel != 0)
      state_.zoom = std::clamp(state_.zoom * std::pow(1.1F, io.MouseWheel), kMinValueZoom, kMaxValueZoom);
    return;
  }
  const float down = io.KeyShift ? 0 : io.MouseWheel, across = io.KeyShift ? io.MouseWheel : io.MouseWheelH;
  scroll(state_.first_row, last_row_, down, kWheelRows);
  scroll(state_.first_column, last_column_, across, 1);
}

void ValueTable::mouse() {
  if (state_.dragging) drag();
  if (!hovered_) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over_rows = mouse.x < origin_.x + header_width_, over_columns = mouse.y < origin_.y + row_height_;
  const CellPlace at = place_at(mouse);
  if (at.row >= state_.window.row + state_.window.rows || at.column >= state_.window.column + state_.window.columns) return;
  if (over_rows || over_columns)
    on_header(at, over_rows, over_columns);
  else
    on_cell(at);
}

void ValueTable::on_header(CellPlace at, bool over_rows, bool over_columns) {
  const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  const std::uint64_t end_row = grid_.rows() - 1, end_column = grid_.columns() - 1;
  const AxisMapping& mapping = state_.mapping;
  if (clicked && over_rows && over_columns) state_.range = CellRange{{0, 0}, {end_row, end_column}};
  if (clicked && over_rows && !over_columns) state_.range = CellRange{{at.row, 0}, {at.row, end_column}};
  if (clicked && over_columns && !over_rows && mapping.wrap == 0) state_.range = CellRange{{0, at.column}, {end_row, at.column}};
  std::string text;
  if (over_rows != over_columns) {
    const int axis = over_rows ? mapping.row : mapping.column;
    // The other views show the whole tensor, which has no axes of a field's sub-array.
    if (axis < context_.index->tensor(state_.tensor).rank)
      commands_.push(command::Hover{{.tensor = state_.tensor, .element = {}, .space = {}, .bytes = {}, .axis = axis}});
  }
  if (mapping.wrap > 0) {
    if (over_rows && !over_columns) text = fmt::format("From index {} on. ", grid_.row_index(at.row));
    if (over_columns && !over_rows)
      text = fmt::format("{} further than the index before the row. ", grid_.column_index(at.column));
    return explain(text + stride_text(*context_.values.snapshot(), tensor_, mapping.column));
  }
  if (!over_columns || over_rows)
    text += axis_description("Down", mapping.row, over_columns ? std::nullopt : std::optional(grid_.row_index(at.row)));
  if (over_columns && over_rows) text += "\n";
  if (over_columns) {
    text += axis_description("Across", mapping.column,
                             over_rows ? std::nullopt : std::optional(grid_.column_index(at.column)));
  }
  explain(text);
}

std::string ValueTable::axis_description(const char* way, int axis, std::optional<std::int64_t> at) const {
  if (axis < 0) return fmt::format("{}: no axis", way);
  const std::string where = at ? fmt::format(", index {}", *at) : "";
  return fmt::format("{}: axis {}{}, {}", way, axis, where, stride_text(*context_.values.snapshot(), tensor_, axis));
}

void ValueTable::on_cell(CellPlace at) {
  if (!grid_.has(at.row, at.column)) return;
  const Focus focus = focus_of(at);
  commands_.push(command::Hover{focus});
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    state_.menu_cell = at;
    ImGui::OpenPopup("cell menu");
  }
  const auto pin = pinned_place();
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    if (ImGui::GetIO().KeyShift && pin) {
      state_.range = CellRange{*pin, at};
      return;
    }
    state_.range.reset();
    state_.dragging = true;
    commands_.push(command::Pin{focus});
  }
  if (!state_.dragging) describe(at, grid_.element(at.row, at.column));
}

// Selects from the clicked cell, which is pinned, to the mouse; beyond the edge it scrolls.
void ValueTable::drag() {
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    state_.dragging = false;
    return;
  }
  const auto pin = pinned_place();
  if (!pin || !ImGui::IsMouseDragging(ImGuiMouseButton_Left)) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (mouse.y > origin_.y + size_.y) scroll(state_.first_row, last_row_, -1, 1);
  if (mouse.y < origin_.y + row_height_) scroll(state_.first_row, last_row_, 1, 1);
  if (mouse.x > origin_.x + size_.x) scroll(state_.first_column, last_column_, -1, 1);
  if (mouse.x < origin_.x + header_width_) scroll(state_.first_column, last_column_, 1, 1);
  const CellPlace at = place_at(mouse);
  CellPlace to{std::min(at.row, grid_.rows() - 1), std::min(at.column, grid_.columns() - 1)};
  if (!grid_.has(to.row, to.column)) to = place_of(grid_.shown().layout(), state_.mapping, grid_.shown().elements() - 1);
  const CellRange range{*pin, to};
  if (!range.is_one() || state_.range) state_.range = range;
}

// The tooltip with everything about one value.
void ValueTable::describe(CellPlace at, std::uint64_t element) const {
  if (state_.window.columns == 0 || !ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) return;
  const std::size_t i = (at.row - state_.window.row) * state_.window.columns + (at.column - state_.window.column);
  if (i >= state_.cells.size()) return;
  std::string text = index_text(grid_.layout(), element);
  if (!state_.cells[i].readable && then_ != nullptr)
    return explain(text + "\nNothing was kept of this one: it was not on the screen then.");
  if (!state_.cells[i].readable) {
    explain(text + "\nThis memory cannot be read now: the script may have freed it.");
    return;
  }
  const auto as = [&](NumberStyle style) {
    return element_text(*context_.values.snapshot(), tensor_, state_.fetched.of(i), state_.fetched.bits[i],
                        {style, -1, state_.format.as_stored}, grid_.signs()).text;
  };
  text += (then_ != nullptr ? " was " : " = ") + as(NumberStyle::automatic);
  const core::FieldLayout* const time = time_field(*context_.values.snapshot(), tensor_);
  const bool no_time = time != nullptr && is_not_a_time(*time, state_.fetched.of(i));
  const std::string message = no_time ? not_a_time_text() : class_text(state_.cells[i].value_class);
  if (!message.empty()) text += "\n" + message;
  const core::DType dtype = core::numbers_of(*context_.values.snapshot(), tensor_).dtype;
  if (dtype.lanes == 1 && dtype.bits <= 64)
    text += "\nhex   " + as(NumberStyle::hex) + "\nbits  " + as(NumberStyle::bits);
  text += "\n" + grouped_address(grid_.bytes(at.row, at.column).begin);
  explain(text);
}

void ValueTable::keys() {
  const bool has_pin = pinned_place().has_value();
  if (!(focused_ || (has_pin && ImGui::IsWindowFocused())) || ImGui::IsAnyItemActive()) return;
  const auto key = pressed_step_key();
  if (!key) return;
  if (!has_pin) {
    commands_.push(command::Pin{focus_of({state_.first_row, state_.first_column})});
    return;
  }
  if (!key->extend) {
    state_.range.reset();
    pin_element(grid_.stepped(*context_.values.value_at(context_.pinned), key->step));
    return;
  }
  const CellPlace anchor = *pinned_place(), head = state_.range ? state_.range->head : anchor;
  const std::uint64_t next = grid_.stepped(grid_.element(head.row, head.column), key->step);
  state_.range = CellRange{anchor, grid_.place(next).value_or(head)};
  bring_into_view(state_.range->head);
}

void ValueTable::pin_element(std::uint64_t element) {
  commands_.push(command::Pin{context_.values.focus_on(element)});
}

Focus ValueTable::focus_of(CellPlace at) const {
  return context_.values.focus_on(grid_.element(at.row, at.column));
}

CellPlace ValueTable::place_at(ImVec2 mouse) const {
  const float r = std::max(0.0F, (mouse.y - origin_.y - row_height_) / row_height_);
  const float c = std::max(0.0F, (mouse.x - origin_.x - header_width_) / column_width_);
  return {state_.window.row + static_cast<std::uint64_t>(r), state_.window.column + static_cast<std::uint64_t>(c)};
}

}  // namespace dlscope::app
