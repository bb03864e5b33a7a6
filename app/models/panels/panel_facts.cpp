#include "app/models/panels/panel_facts.h"

#include <algorithm>

#include "app/models/panels/panel_rows.h"

namespace dlscope::app {
namespace {

constexpr const PanelFacts* kPanels[] = {
    // One on a line, so that two people can add one.
    // clang-format off
    &kScriptPanel,
    &kOutputPanel,
    &kTensorsPanel,
    &kSharingPanel,
    &kValuesPanel,
    &kLayoutPanel,
    &kStatisticsPanel,
    &kHeatmapPanel,
    &kHexPanel,
    &kInspectorPanel,
    &kMemoryPanel,
    &kLogPanel,
    &kTasksPanel,
    &kStackPanel,
    &kExchangePanel,
    &kComparePanel,
    &kHistoryPanel,
    // clang-format on
};
static_assert(std::size(kPanels) == kPanelCount);

}  // namespace

std::span<const PanelFacts* const> panels() { return kPanels; }

const PanelFacts* panel_of(ActionContext context) {
  const auto found = std::ranges::find(kPanels, context, &PanelFacts::context);
  return found == std::end(kPanels) ? nullptr : *found;
}

const PanelFacts* panel_titled(std::string_view title) {
  const auto found = std::ranges::find_if(kPanels, [&](const PanelFacts* panel) { return title == panel->title; });
  return found == std::end(kPanels) ? nullptr : *found;
}

const char* title_of(ActionContext panel) { return panel_of(panel)->title; }

void show_panels_at_first(ViewSwitches& show) {
  for (const PanelFacts* panel : panels()) show[panel->context] = panel->at_first;
}

}  // namespace dlscope::app
