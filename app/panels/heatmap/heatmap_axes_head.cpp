#include "app/panels/heatmap/heatmap_axes_head.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_image.h"
#include "app/models/heatmap/reversed_axes.h"
#include "app/models/text/format.h"
#include "app/panels/values/axis_pickers.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

struct Use {
  const char* name;
  AxisRole role;
  core::CellValue value;
};
constexpr Use kUses[] = {
    {"one index", AxisRole::slider, core::CellValue::mean}, {"mean", AxisRole::reduced, core::CellValue::mean},
    {"min", AxisRole::reduced, core::CellValue::min},     {"max", AxisRole::reduced, core::CellValue::max},
    {"tiles down", AxisRole::down, core::CellValue::mean},  {"tiles across", AxisRole::across, core::CellValue::mean},
};

const char* use_name(const core::CellAxes& axes, std::size_t axis) {
  const AxisRole role = role_of(axes, axis);
  if (role == AxisRole::channel) return "channels";
  // Of several axes with one role, the innermost forms the rows or columns; the others form tiles.
  if (role == AxisRole::down && axes.down.back() == axis) return "down";
  if (role == AxisRole::across && axes.across.back() == axis) return "across";
  for (const Use& use : kUses) {
    if (use.role == role && (role != AxisRole::reduced || use.value == value_of_reduced(axes, axis))) return use.name;
  }
  return "";
}

void choose_use(HeatmapPanelState& state, std::size_t axis) {
  const char* const now = use_name(state.axes, axis);
  const float width = ImGui::CalcTextSize("tiles across").x + ImGui::GetFrameHeight() + ImGui::GetStyle().FramePadding.x * 2;
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("##use", now)) {
    for (const Use& use : kUses) {
      if (!ImGui::Selectable(use.name, std::string_view(use.name) == now)) continue;
      const AxisRole before = role_of(state.axes, axis);
      set_role(state.axes, axis, use.role, use.value);
      const auto has_cells = [](AxisRole role) {
        return role == AxisRole::down || role == AxisRole::across || role == AxisRole::channel;
      };
      if (has_cells(before) || has_cells(use.role)) state.camera = {};  // the table has another shape
    }
    ImGui::EndCombo();
  }
  explain(
      "What is shown of this axis: one index of it; the mean, the smallest or the largest finite value along it (of several such "
      "axes the last one first; a NaN or an infinity is marked all the same); or all of it, as tiles one below the other or side "
      "by side.");
}

// For an axis that runs down or across.
void choose_direction(core::CellAxes& axes, std::size_t axis) {
  const AxisRole role = role_of(axes, axis);
  if (role != AxisRole::down && role != AxisRole::across) return;
  ImGui::SameLine();
  bool reversed = is_reversed(axes, axis);
  if (ImGui::Checkbox("reversed", &reversed)) set_reversed(axes, axis, reversed);
  explain("From the last index to the first: rows from the bottom up, columns from right to left. The tensor stays as it is.");
}

// True for an axis that is not rows, columns or channels.
bool is_outer(const core::CellAxes& axes, std::size_t axis) {
  const AxisRole role = role_of(axes, axis);
  if (role == AxisRole::down) return axes.down.back() != axis;
  if (role == AxisRole::across) return axes.across.back() != axis;
  return role != AxisRole::channel;
}

// For a vector dtype: how the lanes of an element become one value.
void choose_lanes(core::CellAxes& axes) {
  int lanes = static_cast<int>(axes.lanes);
  static constexpr const char* kNames[] = {"mean", "min", "max"};
  ImGui::AlignTextToFramePadding();
  draw_text("lanes of an element");
  ImGui::SameLine(ImGui::GetFontSize() * 11);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 7);
  if (ImGui::Combo("##lanes", &lanes, kNames, IM_ARRAYSIZE(kNames))) axes.lanes = static_cast<core::CellValue>(lanes);
}

// One line for each axis longer than 1.
void draw_uses(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    ImGui::PushID(static_cast<int>(d));
    ImGui::AlignTextToFramePadding();
    draw_text(fmt::format("axis {}, size {}", d, shape[d]));
    ImGui::SameLine(ImGui::GetFontSize() * 11);
    choose_use(state, d);
    choose_direction(state.axes, d);
    ImGui::PopID();
  }
  if (dtype.lanes > 1) choose_lanes(state.axes);
}

void turn_into_image(HeatmapPanelState& state, std::span<const std::int64_t> shape, std::uint8_t axis) {
  if (!state.axes.channel) state.square_before = state.square;
  set_channels(shape, axis, state.axes);
  state.square = true;
  state.camera = {};
  state.channel_at = 0;
}

void turn_into_heat_map(HeatmapPanelState& state, std::size_t rank) {
  const std::vector<std::int64_t> at = state.axes.at;
  state.axes = default_cell_axes(rank);
  state.axes.at = at;
  forget_directions(state.axes);
  state.square = state.square_before;
  state.camera = {};
}

void draw_image_choice(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype) {
  const std::vector<std::uint8_t> possible = possible_channels(shape, dtype);
  if (possible.empty() && !state.axes.channel) return;
  const std::string why = why_no_image(dtype);
  same_line_for(ImGui::GetFrameHeight() + ImGui::CalcTextSize("as an image").x + ImGui::GetStyle().ItemInnerSpacing.x);
  bool on = state.axes.channel.has_value();
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Checkbox("as an image", &on)) toggle_image(state, shape, dtype);
  ImGui::EndDisabled();
  constexpr std::string_view kMeaning =
      "Three or four numbers are the colour of one pixel: red, green, blue, and how much of it is seen.";
  explain(why.empty() ? kMeaning : std::string_view(why));
  if (!state.axes.channel || possible.size() < 2) return;
  const auto text = [](std::uint8_t axis) { return fmt::format("channels: axis {}", axis); };
  const float width = ImGui::CalcTextSize("channels: axis 00").x + ImGui::GetFrameHeight() + ImGui::GetStyle().FramePadding.x * 2;
  same_line_for(width);
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("##channels", text(*state.axes.channel).c_str())) {
    for (const std::uint8_t axis : possible) {
      if (ImGui::Selectable(text(axis).c_str(), axis == state.axes.channel) && axis != state.axes.channel)
        turn_into_image(state, shape, axis);
    }
    ImGui::EndCombo();
  }
  explain("Which axis holds the colours of a pixel.");
}

}  // namespace

void draw_heatmap_axes(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype) {
  if (shape.size() < 2 && dtype.lanes < 2) return;
  if (ImGui::Button("axes …")) ImGui::OpenPopup("axes");
  explain(
      "Which axes run down and across, several of them as tiles, which are fixed at one index, and which are reduced to one "
      "number per cell.");
  ImGui::SameLine();
  if (ImGui::Button("swap")) {
    std::swap(state.axes.down, state.axes.across);
    std::swap(state.camera.rows, state.camera.columns);
  }
  explain("Rows become columns in this view. The tensor stays as it is.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  draw_text(cells_text(state.axes));
  draw_image_choice(state, shape, dtype);
  if (!ImGui::BeginPopup("axes")) return;
  draw_uses(state, shape, dtype);
  ImGui::EndPopup();
}

void toggle_image(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype) {
  if (state.axes.channel) return turn_into_heat_map(state, shape.size());
  const std::vector<std::uint8_t> possible = possible_channels(shape, dtype);
  if (!possible.empty() && why_no_image(dtype).empty()) turn_into_image(state, shape, possible.front());
}

void draw_outer_axes(const FrameContext& context, HeatmapPanelState& state, std::span<const std::int64_t> shape) {
  bool first = true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const AxisRole role = role_of(state.axes, d);
    if (shape[d] <= 1 || !is_outer(state.axes, d)) continue;
    if (!std::exchange(first, false)) {
      ImGui::SameLine(0, ImGui::GetFontSize());
      if (ImGui::GetContentRegionAvail().x < ImGui::GetFontSize() * 25) ImGui::NewLine();
    }
    ImGui::PushID(static_cast<int>(d));
    choose_use(state, d);
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    if (role == AxisRole::slider) {
      static_cast<void>(draw_axis_slider(context, shape[d], static_cast<int>(d), state.axes.at[d], true));
    } else {
      ImGui::AlignTextToFramePadding();
      draw_text(fmt::format("{} axis {}", role == AxisRole::reduced ? "along" : "of", d),
                context.lit_axis() == static_cast<int>(d) ? context.theme.accent : context.theme.text);
      ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
      draw_text("of " + grouped(static_cast<std::uint64_t>(shape[d])), context.theme.dim);
    }
    ImGui::PopID();
  }
}

}  // namespace dlscope::app
