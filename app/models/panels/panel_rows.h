// The row of each panel, in a file of its own; panel_facts.cpp puts them in order.
#pragma once

#include "app/models/panels/panel_facts.h"

namespace dlscope::app {

extern const PanelFacts kScriptPanel, kOutputPanel, kTensorsPanel, kSharingPanel, kValuesPanel, kLayoutPanel, kStatisticsPanel,
    kInspectorPanel, kMemoryPanel, kLogPanel, kTasksPanel, kStackPanel, kExchangePanel, kHexPanel, kHeatmapPanel;

}  // namespace dlscope::app
