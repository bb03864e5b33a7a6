#include "app/panels/heatmap/heatmap_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/short_number.h"
#include "app/models/statistics/statistics_text.h"
#include "app/panels/heatmap/heatmap_axes_head.h"
#include "app/panels/heatmap/heatmap_colours.h"
#include "app/panels/values/field_picker.h"
#include "app/panels/values/value_head.h"
#include "app/widgets/choose.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// Null: not offered.
const char* range_name(RangeChoice range, bool is_image, const NumberRange& natural) {
  if (range == RangeChoice::natural && !(is_image && natural.any)) return nullptr;
  if (range == RangeChoice::symmetric && is_image) return nullptr;
  if (range == RangeChoice::natural)
    return natural.high == 1       ? "range: 0 to 1"
           : natural.high == 255   ? "range: 0 to 255"
           : natural.high == 65535 ? "range: 0 to 65535"
                                   : "range: of the dtype";
  static constexpr const char* kNames[] = {"range: all drawn",
                                           "range: in view",
                                           "range: symmetric",
                                           "range: percentiles",
                                           "range: all values",
                                           "range: percentiles of all",
                                           "",
                                           "range: fixed"};
  return kNames[static_cast<std::size_t>(range)];
}

void draw_fixed_range(HeatmapColours& colours, Digits digits) {
  const char* const format = digits == Digits::all ? "%.16g" : "%.6g";
  const float width = ImGui::GetFontSize() * 6;
  same_line_for(width * 2 + ImGui::GetStyle().ItemSpacing.x);
  ImGui::SetNextItemWidth(width);
  ImGui::InputDouble("##low", &colours.low, 0, 0, format);
  explain("The number that has the first colour.");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width);
  ImGui::InputDouble("##high", &colours.high, 0, 0, format);
  explain("The number that has the last colour.");
}

void draw_percentiles(HeatmapColours& colours) {
  const float width = ImGui::GetFontSize() * 9;
  same_line_for(width);
  ImGui::SetNextItemWidth(width);
  constexpr double kMin = 0, kMax = 25;
  ImGui::DragScalar("##cut", ImGuiDataType_Double, &colours.cut, 0.05F, &kMin, &kMax, "%.2f %% at each end",
                    ImGuiSliderFlags_AlwaysClamp);
  explain("The colours leave out so many percent of the pixels in view at either end: exact, of the numbers that are drawn.");
}

void draw_value_percentiles(HeatmapColours& colours) {
  const auto text = [](double cut) { return fmt::format("{} % at each end", cut); };
  const float width = ImGui::GetFontSize() * 9;
  same_line_for(width);
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("##value cut", text(colours.value_cut).c_str())) {
    for (const double cut : kValueCuts) {
      if (ImGui::Selectable(text(cut).c_str(), cut == colours.value_cut)) colours.value_cut = cut;
    }
    ImGui::EndCombo();
  }
  explain(
      "The colours leave out so many percent of all values of the tensor at either end. Exact for types of at most 16 bits, of a "
      "sample for larger ones.");
}

void draw_range(HeatmapPanelState& state, core::DType dtype) {
  HeatmapColours& colours = state.shown_colours();
  const NumberRange natural = natural_range(dtype);
  const bool is_image = state.axes.channel.has_value();
  if (range_name(colours.range, is_image, natural) == nullptr) colours.range = RangeChoice::all;
  const RangeChoice before = colours.range;
  const auto name_of = [&](RangeChoice one) { return range_name(one, is_image, natural); };
  const bool chosen = choose("##range", colours.range, name_of,
                             "What the two ends of the colours stand for. All drawn: of every pixel known at this zoom. All "
                             "values: of the whole tensor, from its statistics, which are worked out for it. Fixed: they stay as "
                             "they are, and can be typed.");
  if (chosen && colours.range == RangeChoice::fixed && before != RangeChoice::fixed && state.range.any) {
    colours.low = state.range.low;
    colours.high = state.range.high;
  }
  if (colours.range == RangeChoice::fixed) draw_fixed_range(colours, digits_of(dtype));
  if (colours.range == RangeChoice::percentile) draw_percentiles(colours);
  if (colours.range == RangeChoice::value_percentile) draw_value_percentiles(colours);
}

void draw_colours(HeatmapPanelState& state, core::DType dtype) {
  HeatmapColours& colours = state.colours;
  ColourMap map = shown_map(state, dtype);
  if (map != ColourMap::categories)
    choose("##number", colours.number, texel_number_name,
           "What a pixel shows of the several values it stands for. The other two are in the tooltip.");
  if (static_cast<core::DTypeCode>(dtype.code) == core::DTypeCode::bool_) return;  // False and True have fixed colours
  const bool may_be_categories = shows_categories(dtype, state.axes);
  const auto name_of = [&](ColourMap one) {
    return one == ColourMap::categories && !may_be_categories ? nullptr : colour_map_name(one);
  };
  if (choose("##map", map, name_of,
             may_be_categories ? "The colours, from the smallest to the largest number. Categories: a colour for each number, where "
                                 "more and less mean nothing, as in labels and masks."
                               : "The colours, from the smallest to the largest number."))
    colours.map = map;
  if (map == ColourMap::categories) return;
  choose("##stretch", colours.stretch, colour_stretch_name,
         "How numbers are spread over the colours: evenly; asinh: so that small ones of either sign stay apart beside large "
         "ones; log: by their magnitude, for numbers above zero.");
  draw_range(state, dtype);
}

void draw_image_colours(HeatmapPanelState& state, std::int64_t channels, core::DType dtype) {
  if (channels >= 3)
    choose("##order", state.order, channel_order_name, "Which colour the first channel is: red, or, as OpenCV has it, blue.");
  if (has_alpha(static_cast<std::size_t>(channels))) {
    same_line_for(ImGui::GetFrameHeight() + ImGui::CalcTextSize("alpha").x + ImGui::GetStyle().ItemInnerSpacing.x);
    ImGui::Checkbox("alpha", &state.alpha);
    explain("The last channel says how much of a pixel is seen over light and dark squares. Otherwise it is left out.");
  }
  draw_range(state, dtype);
}

// Whether a slice of the tensor is drawn, and not all of it: one index of an axis.
bool shows_part_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const HeatmapPanelState& state) {
  const auto shape = snapshot.shape(tensor);
  const core::CellAxes& axes = state.axes;
  const auto is_whole = [&](std::size_t axis) {
    return shape[axis] == 1 || axes.channel == axis || std::ranges::find(axes.down, axis) != axes.down.end() ||
           std::ranges::find(axes.across, axis) != axes.across.end() ||
           std::ranges::find(axes.reduced, axis, &core::ReducedAxis::axis) != axes.reduced.end();
  };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!is_whole(axis)) return true;
  }
  return false;
}

void put_before(CountsLine& counts, const char* words, Tone tone) {
  counts.text = words + counts.text;
  if (!counts.parts.empty()) counts.parts.insert(counts.parts.begin(), {words, tone});
  if (!counts.brief.empty()) counts.brief = words + counts.brief;
}

// The counts of NaN and the like behind the title.
void draw_counts(const FrameContext& context, const HeatmapPanelState& state, const core::TensorRecord& tensor) {
  const TensorStatistics* const read = context.statistics.find(*context.values.snapshot(), tensor);
  if (read == nullptr || !read->found) return;
  const ReadWhen when = read_when(*read, context.moment);
  CountsLine counts = counts_line(read->found->summary, state.dtype);
  if (counts.text.empty()) return;
  if (shows_part_of(*context.values.snapshot(), tensor, state)) put_before(counts, "whole tensor: ", Tone::dim);
  if (when.stale) put_before(counts, "earlier: ", Tone::warn);
  const float gap = context.px(16);
  ImGui::SameLine(0, gap);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool fits = text_width(counts.text) <= room;
  const std::string& shown = fits ? counts.text : counts.brief;
  if (shown.empty()) return ImGui::NewLine();
  if (!fits && text_width(counts.brief) > room) ImGui::NewLine();
  if (fits && !counts.parts.empty()) {
    ImGui::BeginGroup();  // one item, for the tooltip
    for (std::size_t i = 0; i < counts.parts.size(); ++i) {
      if (i > 0) ImGui::SameLine(0, 0);
      draw_text(counts.parts[i].text, tone_colour(context.theme, counts.parts[i].tone));
    }
    ImGui::EndGroup();
  } else {
    draw_text(shown, tone_colour(context.theme, when.stale && counts.tone == Tone::dim ? Tone::warn : counts.tone));
  }
  explain([&] { return counts.text + "\n" + coverage(read->found->summary).text + " " + when.text; });
}

}  // namespace

void ask_heatmap_counts(const FrameContext& context, const HeatmapPanelState& state, const core::TensorRecord& tensor,
                        Commands& commands) {
  const core::Snapshot& snapshot = *context.values.snapshot();
  const TensorStatistics* const read = context.statistics.find(snapshot, tensor);
  // What was read before the last scan is of an older moment than the picture.
  const bool to_read = read == nullptr || (read->before_look && !read->computing());
  if (to_read && state.known.tiles > 0 && state.known.is_covered() && context.bytes_are_its_own(state.tensor) &&
      why_no_statistics(snapshot, tensor).empty() && bytes_to_read(snapshot, tensor) <= kReadAtOnce)
    commands.push(command::ComputeStatistics{state.tensor, state.field});
}

void draw_heatmap_head(const FrameContext& context, HeatmapPanelState& state, const core::TensorRecord& tensor,
                       Commands& commands) {
  const core::Snapshot& snapshot = *context.values.snapshot();
  const auto shape = snapshot.shape(tensor);
  draw_value_title(context, tensor, true);
  draw_counts(context, state, tensor);
  draw_field_choice(context, commands);
  if (context.asked(ActionId::heatmap_as_image)) toggle_image(state, shape, state.dtype);
  draw_heatmap_axes(state, shape, state.dtype);
  if (shape.size() < 2) {  // nothing is before the colours on their line, not even a gap
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() - ImGui::GetStyle().ItemSpacing.x);
    ImGui::Dummy({0, 0});
  }
  if (state.axes.channel)
    draw_image_colours(state, shape[*state.axes.channel], state.dtype);
  else
    draw_colours(state, state.dtype);
  same_line_for(ImGui::GetFrameHeight() + ImGui::CalcTextSize("square").x + ImGui::GetStyle().ItemInnerSpacing.x);
  if (ImGui::Checkbox("square", &state.square)) state.camera = {};
  explain("Cells as wide as they are high, instead of filling the view.");
  draw_outer_axes(context, state, shape);
}

}  // namespace dlscope::app
