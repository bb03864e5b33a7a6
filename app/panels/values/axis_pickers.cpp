#include "app/panels/values/axis_pickers.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <limits>

#include "app/models/text/format.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr int kNarrowest = 8, kWidest = 14;  // em

std::string axis_text(std::span<const std::int64_t> shape, int axis) {
  return fmt::format("axis {}, size {}", axis, shape[static_cast<std::size_t>(axis)]);
}

// The same width for all axes, so that nothing moves when another one is chosen. Never cut: a cut size would be another number.
float choice_width(std::span<const std::int64_t> shape) {
  const std::int64_t longest = shape.empty() ? 0 : std::ranges::max(shape);
  const std::string text = fmt::format("axis {}, size {}", shape.size(), longest);
  const float wanted = ImGui::CalcTextSize(text.c_str()).x + ImGui::GetFrameHeight() + ImGui::GetStyle().FramePadding.x * 2;
  return std::clamp(wanted, ImGui::GetFontSize() * kNarrowest, ImGui::GetFontSize() * kWidest);
}

bool axis_choice(const char* label, int& axis, int& other, std::span<const std::int64_t> shape) {
  ImGui::SetNextItemWidth(choice_width(shape));
  const std::string now = axis_text(shape, axis);
  if (!ImGui::BeginCombo(label, now.c_str())) return false;
  bool changed = false;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    const std::string text = axis_text(shape, d);
    if (!ImGui::Selectable(text.c_str(), d == axis) || d == axis) continue;
    if (d == other) other = axis;  // the two axes are swapped
    axis = d;
    changed = true;
  }
  ImGui::EndCombo();
  return changed;
}

bool is_fixed(const AxisMapping& mapping, std::span<const std::int64_t> shape, int axis) {
  return axis != mapping.row && axis != mapping.column && shape[static_cast<std::size_t>(axis)] > 1;
}

float labelled_width(const char* label, std::span<const std::int64_t> shape) {
  return choice_width(shape) + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(label).x;
}

bool can_choose(std::span<const std::int64_t> shape, const AxisMapping& mapping) {
  return shape.size() >= 2 && mapping.row >= 0 && mapping.column >= 0;
}

}  // namespace

bool draw_axis_slider(const FrameContext& context, std::int64_t size, int axis, std::int64_t& at, bool first) {
  const std::string name = fmt::format("axis {}", axis), of = "of " + grouped(static_cast<std::uint64_t>(size));
  const float slider = ImGui::GetFontSize() * 9, gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = ImGui::CalcTextSize(name.c_str()).x + slider + ImGui::CalcTextSize(of.c_str()).x + gap * 2;
  if (!first) {
    ImGui::SameLine(0, ImGui::GetFontSize());
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  }
  ImGui::AlignTextToFramePadding();
  draw_text(name, context.lit_axis() == axis ? context.theme.accent : context.theme.text);
  ImGui::SameLine(0, gap);
  // Dear ImGui's sliders support half of the 64-bit range; only an axis of a tensor without elements can be longer.
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t zero = 0, last = std::min(size - 1, kMax);
  ImGui::SetNextItemWidth(slider);
  const bool changed =
      ImGui::SliderScalar(("##" + name).c_str(), ImGuiDataType_S64, &at, &zero, &last, "%lld", ImGuiSliderFlags_AlwaysClamp);
  explain("The index on this axis of everything that is shown. Ctrl+click to type a number.");
  ImGui::SameLine(0, gap);
  draw_text(of, context.theme.dim);
  return changed;
}

float axis_choices_width(std::span<const std::int64_t> shape) {
  if (shape.size() < 2) return 0;
  return labelled_width("down", shape) + labelled_width("across", shape) + button_width("swap") +
         ImGui::GetStyle().ItemSpacing.x * 2;
}

int axis_slider_lines(std::span<const std::int64_t> shape, const AxisMapping& mapping) {
  if (!can_choose(shape, mapping)) return 0;
  int sliders = 0;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) sliders += is_fixed(mapping, shape, d) ? 1 : 0;
  const int per_line = std::max(1, static_cast<int>(ImGui::GetContentRegionAvail().x / (ImGui::GetFontSize() * 17)));
  return (sliders + per_line - 1) / per_line;
}

bool draw_axis_choices(std::span<const std::int64_t> shape, AxisMapping& mapping) {
  if (!can_choose(shape, mapping)) return false;
  bool changed = axis_choice("down", mapping.row, mapping.column, shape);
  same_line_for(labelled_width("across", shape));
  changed |= axis_choice("across", mapping.column, mapping.row, shape);
  same_line_for(button_width("swap"));
  if (ImGui::Button("swap")) {
    std::swap(mapping.row, mapping.column);
    changed = true;
  }
  explain("Rows become columns in this view. The tensor stays as it is.");
  return changed;
}

bool draw_axis_sliders(const FrameContext& context, std::span<const std::int64_t> shape, AxisMapping& mapping, int most_lines) {
  const int lines = std::min(axis_slider_lines(shape, mapping), most_lines);
  if (lines == 0) return false;
  ImGui::BeginChild("fixed axes", {0, static_cast<float>(lines) * ImGui::GetFrameHeightWithSpacing()});
  bool changed = false, first = true;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    if (!is_fixed(mapping, shape, d)) continue;
    const auto axis = static_cast<std::size_t>(d);
    changed |= draw_axis_slider(context, shape[axis], d, mapping.fixed[axis], first);
    first = false;
  }
  ImGui::EndChild();
  return changed;
}

void fit_mapping(std::span<const std::int64_t> shape, AxisMapping& mapping) {
  if (mapping.fixed.size() != shape.size()) mapping = default_mapping(static_cast<int>(shape.size()));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    mapping.fixed[d] = std::clamp<std::int64_t>(mapping.fixed[d], 0, std::max<std::int64_t>(shape[d] - 1, 0));
  }
}

}  // namespace dlscope::app
