#include "app/panels/heatmap/heatmap_colours.h"

#include <algorithm>
#include <cmath>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/seen_range.h"
#include "app/panels/heatmap/heatmap_legend.h"
#include "app/widgets/value_marks.h"

namespace dlscope::app {
namespace {

// From the tensor's statistics or, for its extremes, from the survey of all tensors.
ValuesRange range_of_all_values(const FrameContext& context, const HeatmapPanelState& state) {
  const HeatmapColours& colours = state.shown_colours();
  const TensorStatistics* const statistics = context.statistics.find(*context.values.snapshot(), context.values.record());
  const core::Statistics* const found = statistics != nullptr && statistics->found ? &*statistics->found : nullptr;
  if (colours.range == RangeChoice::value_percentile) return percentiles_of_values(found, colours.value_cut);
  if (found != nullptr) return range_of_values(&found->summary);
  return range_of_values(state.field == core::kNone16 ? context.statistics.summary_of(state.tensor) : nullptr);
}

// The range of what is known of this table; when nothing is known at this zoom, of the coarsest known level.
NumberRange range_of_table(const FrameContext& context, const HeatmapPanelState& state) {
  const HeatmapColours& colours = state.shown_colours();
  const HeatmapStore& store = context.heatmap;
  NumberRange range = state.drawn;
  if (colours.range == RangeChoice::in_view)
    range = range_of(store, state.view, seen_cells(state.camera), colours.number);
  else if (colours.range == RangeChoice::percentile)
    range =
        percentile_range(store, state.view, seen_cells(state.camera), colours.number, colours.cut / 100, 1 - colours.cut / 100);
  else if (is_of_all_values(colours.range))
    range = range_of_all_values(context, state).range;
  range.flags |= state.drawn.flags;
  if (!range.any && !store.levels().empty()) range = store.range_of_level(store.levels().front(), colours.number);
  return range;
}

void set_ends(NumberRange& range, double low, double high) {
  range.low = low;
  range.high = high;
}

ImageInks image_inks(const HeatmapPanelState& state, core::DType dtype, std::int64_t channels) {
  ImageInks inks{.order = state.order, .black = state.range.low, .white = state.range.high};
  const NumberRange natural = natural_range(dtype);
  inks.clear = natural.any ? natural.low : inks.black;
  inks.opaque = natural.any ? natural.high : inks.white;
  inks.alpha = state.alpha && state.axes.channel && has_alpha(static_cast<std::size_t>(channels));
  return inks;
}

}  // namespace

ColourMap shown_map(const HeatmapPanelState& state, core::DType dtype) {
  const ColourMap map = state.colours.map;
  return map == ColourMap::categories && !shows_categories(dtype, state.axes) ? ColourMap::viridis : map;
}

void choose_heatmap_range(const FrameContext& context, HeatmapPanelState& state) {
  const HeatmapColours& colours = state.shown_colours();
  const bool about_this = context.heatmap.about(state.tensor, state.axes, {}, state.field);
  state.drawn = about_this ? context.heatmap.range_of_level(state.view.level, colours.number) : NumberRange{};
  NumberRange range = about_this ? range_of_table(context, state) : NumberRange{};
  const NumberRange natural = natural_range(state.dtype);
  if (colours.range == RangeChoice::natural) set_ends(range, natural.low, natural.high);
  if (colours.range == RangeChoice::fixed) set_ends(range, colours.low, colours.high);
  if (colours.range == RangeChoice::symmetric) {
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    set_ends(range, -most, most);
  }
  if (static_cast<core::DTypeCode>(state.dtype.code) == core::DTypeCode::bool_) set_ends(range, 0, 1);
  state.range = range;
}

void say_heatmap_range(const FrameContext& context, HeatmapPanelState& state, Commands& commands) {
  state.range_said.clear();
  if (!is_of_all_values(state.shown_colours().range)) return;
  const ValuesRange of = range_of_all_values(context, state);
  const TensorStatistics* const statistics = context.statistics.find(*context.values.snapshot(), context.values.record());
  state.range_said = of.message;
  state.range_is_sample = of.is_sample;
  const bool is_surveyed = statistics == nullptr && of.range.any;
  if (const std::string when = values_range_state(statistics, context.moment); !when.empty() && !is_surveyed)
    state.range_said += (of.message.empty() ? "range of all values: " : "; ") + when;
  if (statistics == nullptr && !of.range.any && context.bytes_are_its_own(state.tensor))
    commands.push(command::ComputeStatistics{state.tensor, state.field});
}

HeatmapPainter::Look heatmap_look(const FrameContext& context, const HeatmapPanelState& state, const core::TensorRecord& tensor) {
  const auto ink = [&](core::ValueClass value_class) { return ImGui::GetColorU32(value_colour(context.theme, value_class)); };
  HeatmapPainter::Look look{
      .number = state.shown_colours().number, .inks = {}, .ground = ImGui::GetColorU32(context.theme.panel)};
  look.inks.table = &heatmap_table(state);
  look.inks.scale = ColourScale(state.range.low, state.range.high, state.colours.stretch);
  look.inks.nan = ink(core::ValueClass::nan);
  look.inks.pos_inf = ink(core::ValueClass::positive_infinity);
  look.inks.neg_inf = ink(core::ValueClass::negative_infinity);
  if (shown_map(state, state.dtype) == ColourMap::categories) look.inks.several = several_ink();
  look.inks.none = ImGui::GetColorU32(context.theme.unknown);
  look.inks.image = image_inks(state, state.dtype, core::count_channels(context.values.snapshot()->layout(tensor), state.axes));
  look.least_special = static_cast<int>(context.px(4));
  look.frames = state.axes.channel.has_value();
  return look;
}

}  // namespace dlscope::app
