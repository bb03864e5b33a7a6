// The row of each panel, in a file of its own; panel_facts.cpp puts them in order.
#pragma once

#include "app/models/panels/panel_facts.h"

namespace dlscope::app {

extern const PanelFacts kScriptPanel;
extern const PanelFacts kOutputPanel;
extern const PanelFacts kTensorsPanel;
extern const PanelFacts kSharingPanel;
extern const PanelFacts kValuesPanel;
extern const PanelFacts kLayoutPanel;
extern const PanelFacts kStatisticsPanel;
extern const PanelFacts kHeatmapPanel;
extern const PanelFacts kHexPanel;
extern const PanelFacts kInspectorPanel;
extern const PanelFacts kMemoryPanel;
extern const PanelFacts kLogPanel;
extern const PanelFacts kTasksPanel;
extern const PanelFacts kStackPanel;
extern const PanelFacts kExchangePanel;
extern const PanelFacts kComparePanel;
extern const PanelFacts kHistoryPanel;

}  // namespace dlscope::app
