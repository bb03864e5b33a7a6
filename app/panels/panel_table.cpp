#include "app/panels/panel_table.h"

#include <algorithm>

#include "app/models/panels/panel_facts.h"
#include "app/panels/debug/stack_panel.h"
#include "app/panels/heatmap/heatmap_colours.h"
#include "app/panels/tasks/tasks_panel.h"

namespace dlscope::app {
namespace {

struct PanelRow {
  ActionContext context;
  void (*draw)(const FrameContext&, PanelStates&, const PanelModels&, Commands&);
};

using Context = const FrameContext&;
using States = PanelStates&;
using Models = const PanelModels&;

// The histogram shows the ends of the heat map's colours and can move them.
void draw_statistics(Context c, States s, Models, Commands& out) {
  HeatmapPanelState& map = s.heatmap;
  const bool shown = map.generation == c.generation && map.tensor == c.selected && map.range.any &&
                     shown_map(map, map.dtype) != ColourMap::categories;
  ColourEnds ends{.low = map.range.low, .high = map.range.high, .shown = shown};
  draw_statistics_panel(c, s.statistics, ends, out);
  if (!ends.moved) return;
  HeatmapColours& colours = map.shown_colours();
  colours.range = RangeChoice::fixed;
  colours.low = map.range.low = ends.low;
  colours.high = map.range.high = ends.high;
}

constexpr PanelRow kRows[] = {
    {ActionContext::script, [](Context c, States s, Models m, Commands& out) { draw_script_panel(c, s.script, m.script, out); }},
    {ActionContext::output, [](Context c, States s, Models m, Commands& out) { draw_output_panel(c, s.output, m.output, out); }},
    {ActionContext::tensors,
     [](Context c, States s, Models m, Commands& out) { draw_tensor_table_panel(c, s.tensors, m.tensors, m.nameless, out); }},
    {ActionContext::sharing, [](Context c, States s, Models, Commands& out) { draw_sharing_panel(c, s.sharing, out); }},
    {ActionContext::values, [](Context c, States s, Models, Commands& out) { draw_values_panel(c, s.values, out); }},
    {ActionContext::layout, [](Context c, States s, Models, Commands& out) { draw_layout_panel(c, s.layout, out); }},
    {ActionContext::statistics, draw_statistics},
    {ActionContext::heatmap, [](Context c, States s, Models, Commands& out) { draw_heatmap_panel(c, s.heatmap, out); }},
    {ActionContext::hex, [](Context c, States s, Models, Commands& out) { draw_hex_panel(c, s.hex, out); }},
    {ActionContext::inspector,
     [](Context c, States s, Models m, Commands& out) { draw_inspector_panel(c, s.inspector, m.inspection, m.of_file, out); }},
    {ActionContext::memory, [](Context c, States s, Models, Commands& out) { draw_memory_map_panel(c, s.memory, out); }},
    {ActionContext::log, [](Context c, States s, Models m, Commands& out) { draw_log_panel(c, s.log, m.notices, out); }},
    {ActionContext::compare, [](Context c, States s, Models, Commands& out) { draw_compare_panel(c, s.compare, out); }},
    {ActionContext::tasks, [](Context c, States, Models, Commands& out) { draw_tasks_panel(c, out); }},
    {ActionContext::stack, [](Context c, States s, Models, Commands& out) { draw_stack_panel(c, s.stack, out); }},
    {ActionContext::exchange,
     [](Context c, States s, Models m, Commands& out) {
       s.exchange.ledger.last_known_bytes = s.values.kept.bytes() + s.values.kept_before.bytes() + s.hex.kept.bytes();
       s.exchange.ledger.most_last_known = KeptValues::kMaxBytes + KeptValuesOfMoments::kMaxBytes + KeptBytes::kMaxBytes;
       s.exchange.proving.table = &m.tensors;
       draw_exchange_panel(c, s.exchange, out);
     }},
    {ActionContext::history, [](Context c, States s, Models, Commands& out) { draw_history_panel(c, s.history, out); }},
};
static_assert(std::size(kRows) == kPanelCount);
static_assert(std::ranges::all_of(
    kRows, [](const PanelRow& row) { return std::ranges::count(kRows, row.context, &PanelRow::context) == 1; }));

}  // namespace

void draw_panels(const FrameContext& context, PanelStates& states, const PanelModels& models, Commands& commands) {
  for (const PanelFacts* panel : panels()) {
    if (!states.menu.show[panel->context]) continue;
    std::ranges::find(kRows, panel->context, &PanelRow::context)->draw(context, states, models, commands);
  }
}

}  // namespace dlscope::app
