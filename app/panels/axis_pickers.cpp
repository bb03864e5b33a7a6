#include "app/panels/axis_pickers.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <limits>

#include "app/models/format.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kMostLines = 3;  // of sliders; more are scrolled to

bool axis_choice(const char* label, int& axis, int& other, std::span<const std::int64_t> shape) {
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 8);
  const std::string now = fmt::format("axis {}, size {}", axis, shape[static_cast<std::size_t>(axis)]);
  if (!ImGui::BeginCombo(label, now.c_str())) return false;
  bool changed = false;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    const std::string text = fmt::format("axis {}, size {}", d, shape[static_cast<std::size_t>(d)]);
    if (!ImGui::Selectable(text.c_str(), d == axis) || d == axis) continue;
    if (d == other) other = axis;  // they change places
    axis = d;
    changed = true;
  }
  ImGui::EndCombo();
  return changed;
}

bool is_fixed(const AxisMapping& mapping, std::span<const std::int64_t> shape, int axis) {
  return axis != mapping.row && axis != mapping.column && shape[static_cast<std::size_t>(axis)] > 1;
}

// One fixed axis: its name, a slider, its length. Starts a new line when this one is full.
bool draw_slider(const FrameContext& context, std::int64_t size, int axis, std::int64_t& at, bool first) {
  const std::string name = fmt::format("axis {}", axis), of = "of " + grouped(static_cast<std::uint64_t>(size));
  const float slider = ImGui::GetFontSize() * 9, gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const float width = ImGui::CalcTextSize(name.c_str()).x + slider + ImGui::CalcTextSize(of.c_str()).x + gap * 2;
  if (!first) {
    ImGui::SameLine(0, ImGui::GetFontSize());
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  }
  ImGui::AlignTextToFramePadding();
  words(name);
  ImGui::SameLine(0, gap);
  // Dear ImGui's sliders refuse more than half of the 64-bit range; only an axis without elements can be that long.
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t zero = 0, last = std::min(size - 1, kMost);
  ImGui::SetNextItemWidth(slider);
  const bool changed =
      ImGui::SliderScalar(("##" + name).c_str(), ImGuiDataType_S64, &at, &zero, &last, "%lld", ImGuiSliderFlags_AlwaysClamp);
  explain("The index on this axis of everything that is shown. Ctrl+click to type a number.");
  ImGui::SameLine(0, gap);
  words(of, context.theme.dim);
  return changed;
}

// Lines the sliders take at this width, at most `kMostLines`.
float slider_lines(std::size_t sliders) {
  const float each = ImGui::GetFontSize() * 17;
  const auto per_line = static_cast<std::size_t>(std::max(1.0F, ImGui::GetContentRegionAvail().x / each));
  return std::min(kMostLines, static_cast<float>((sliders + per_line - 1) / per_line));
}

}  // namespace

bool draw_axis_pickers(const FrameContext& context, std::span<const std::int64_t> shape, AxisMapping& mapping) {
  const int rank = static_cast<int>(shape.size());
  if (rank < 2 || mapping.row < 0 || mapping.column < 0) return false;
  bool changed = axis_choice("down", mapping.row, mapping.column, shape);
  ImGui::SameLine();
  changed |= axis_choice("across", mapping.column, mapping.row, shape);
  ImGui::SameLine();
  if (ImGui::Button("swap")) {
    std::swap(mapping.row, mapping.column);
    changed = true;
  }
  explain("Rows become columns in this view. The tensor stays as it is.");
  std::size_t sliders = 0;
  for (int d = 0; d < rank; ++d) sliders += is_fixed(mapping, shape, d) ? 1 : 0;
  if (sliders == 0) return changed;
  const float line = ImGui::GetFrameHeightWithSpacing();
  ImGui::BeginChild("fixed axes", {0, slider_lines(sliders) * line});
  bool first = true;
  for (int d = 0; d < rank; ++d) {
    if (!is_fixed(mapping, shape, d)) continue;
    const auto axis = static_cast<std::size_t>(d);
    changed |= draw_slider(context, shape[axis], d, mapping.fixed[axis], first);
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
