#include "app/panels/heatmap/heatmap_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/values/sign_bits.h"
#include "app/panels/values/axis_pickers.h"
#include "app/panels/values/value_head.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// A choice of few words, as wide as the longest.
template <class Choice, class Name>
bool choose(const char* label, Choice& chosen, Name name_of, const char* meaning) {
  float width = 0;
  for (int i = 0; i < static_cast<int>(Choice::count); ++i)
    width = std::max(width, ImGui::CalcTextSize(name_of(static_cast<Choice>(i))).x);
  width += ImGui::GetFrameHeight() + ImGui::GetStyle().FramePadding.x * 2;
  same_line_for(width);
  ImGui::SetNextItemWidth(width);
  bool changed = false;
  if (ImGui::BeginCombo(label, name_of(chosen))) {
    for (int i = 0; i < static_cast<int>(Choice::count); ++i) {
      const auto one = static_cast<Choice>(i);
      if (!ImGui::Selectable(name_of(one), one == chosen)) continue;
      changed = one != chosen;
      chosen = one;
    }
    ImGui::EndCombo();
  }
  explain(meaning);
  return changed;
}

const char* range_name(RangeChoice range) {
  static constexpr const char* kNames[] = {"range: all", "range: in view", "range: symmetric", "range: percentiles", "range: fixed"};
  return kNames[static_cast<std::size_t>(range)];
}

constexpr const char* kRoles[] = {"down", "across", "one index", "reduced"};

// One line for each axis longer than 1: what becomes of it.
void draw_axis_roles(HeatmapPanelState& state, std::span<const std::int64_t> shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    ImGui::PushID(static_cast<int>(d));
    int role = static_cast<int>(role_of(state.axes, d));
    ImGui::AlignTextToFramePadding();
    words(fmt::format("axis {}, size {}", d, shape[d]));
    ImGui::SameLine(ImGui::GetFontSize() * 11);
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 7);
    if (ImGui::Combo("##role", &role, kRoles, IM_ARRAYSIZE(kRoles))) {
      set_role(state.axes, d, static_cast<AxisRole>(role));
      state.camera = {};
    }
    ImGui::PopID();
  }
  int cell = static_cast<int>(state.axes.cell);
  static constexpr const char* kCells[] = {"mean", "min", "max"};
  ImGui::AlignTextToFramePadding();
  words("reduced axes give their");
  ImGui::SameLine(ImGui::GetFontSize() * 11);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 7);
  if (ImGui::Combo("##cell", &cell, kCells, IM_ARRAYSIZE(kCells))) state.axes.cell = static_cast<core::CellValue>(cell);
}

void draw_axes(HeatmapPanelState& state, std::span<const std::int64_t> shape) {
  if (shape.size() < 2) return;
  if (ImGui::Button("axes …")) ImGui::OpenPopup("axes");
  explain(
      "Which axes run down and across, several of them as tiles, which stand at one index, and which are reduced to one number a "
      "cell.");
  ImGui::SameLine();
  if (ImGui::Button("swap")) {
    std::swap(state.axes.down, state.axes.across);
    std::swap(state.camera.rows, state.camera.columns);
  }
  explain("Rows become columns in this view. The tensor stays as it is.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  words(cells_text(state.axes));
  if (!ImGui::BeginPopup("axes")) return;
  draw_axis_roles(state, shape);
  ImGui::EndPopup();
}

void draw_sliders(const FrameContext& context, HeatmapPanelState& state, std::span<const std::int64_t> shape) {
  bool first = true;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] <= 1 || role_of(state.axes, d) != AxisRole::slider) continue;
    static_cast<void>(draw_axis_slider(context, shape[d], static_cast<int>(d), state.axes.at[d], first));
    first = false;
  }
}

void draw_fixed_range(HeatmapPanelState& state) {
  const float width = ImGui::GetFontSize() * 6;
  same_line_for(width * 2 + ImGui::GetStyle().ItemSpacing.x);
  ImGui::SetNextItemWidth(width);
  ImGui::InputDouble("##low", &state.colours.low, 0, 0, "%.6g");
  explain("The number that has the first colour.");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width);
  ImGui::InputDouble("##high", &state.colours.high, 0, 0, "%.6g");
  explain("The number that has the last colour.");
}

void draw_percentiles(HeatmapColours& colours) {
  const float width = ImGui::GetFontSize() * 9;
  same_line_for(width);
  ImGui::SetNextItemWidth(width);
  constexpr double kLeast = 0, kMost = 25;
  ImGui::DragScalar("##cut", ImGuiDataType_Double, &colours.cut, 0.05F, &kLeast, &kMost, "%.2f %% at each end",
                    ImGuiSliderFlags_AlwaysClamp);
  explain("The colours leave out so many percent of the pixels in view at either end: exact, of the numbers that are drawn.");
}

void draw_colours(HeatmapPanelState& state, core::DType dtype) {
  HeatmapColours& colours = state.colours;
  choose("##number", colours.number, texel_number_name,
         "What a pixel shows of the several values it stands for. The other two are in the tooltip.");
  if (static_cast<core::DTypeCode>(dtype.code) == core::DTypeCode::bool_) return;  // two colours, from False to True
  choose("##map", colours.map, colour_map_name, "The colours, from the least to the greatest number.");
  choose("##stretch", colours.stretch, colour_stretch_name,
         "How numbers are spread over the colours: evenly; asinh: so that small ones of either sign stay apart beside large ones; log: by "
         "their magnitude, for numbers above zero.");
  const RangeChoice before = colours.range;
  const bool chosen = choose("##range", colours.range, range_name,
                             "What the two ends of the colours stand for. Fixed: they stay as they are, and can be typed.");
  if (chosen && colours.range == RangeChoice::fixed && before != RangeChoice::fixed && state.range.any) {
    colours.low = state.range.low;
    colours.high = state.range.high;
  }
  if (colours.range == RangeChoice::fixed) draw_fixed_range(state);
  if (colours.range == RangeChoice::percentile) draw_percentiles(colours);
}

}  // namespace

void draw_heatmap_head(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  const auto shape = snapshot.shape(tensor);
  draw_value_title(context, tensor, true);
  if (sign_bits_of(snapshot, tensor).any())
    wrapped_words("Of the numbers as they are stored: the library means their conjugate or their negative.", context.theme.warn);
  draw_axes(state, shape);
  if (shape.size() < 2) ImGui::Dummy({0, 0});
  draw_colours(state, tensor.dtype);
  same_line_for(ImGui::GetFrameHeight() + ImGui::CalcTextSize("square").x + ImGui::GetStyle().ItemInnerSpacing.x);
  if (ImGui::Checkbox("square", &state.square)) state.camera = {};
  explain("Cells as wide as they are high, instead of filling the view.");
  draw_sliders(context, state, shape);
}

}  // namespace dlscope::app
