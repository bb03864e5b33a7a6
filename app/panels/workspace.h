// The whole frame: menu bar, status bar, dock space and panels; and the state that panels keep between frames.
#pragma once

#include <optional>

#include "app/models/actions/commands.h"
#include "app/models/actions/notices.h"
#include "app/models/inspector/inspector_model.h"
#include "app/models/script/output_model.h"
#include "app/models/script/script_model.h"
#include "app/panels/debug/stack_panel.h"
#include "app/panels/compare/compare_panel.h"
#include "app/panels/dock_layouts.h"
#include "app/panels/frame_context.h"
#include "app/panels/exchange/exchange_panel.h"
#include "app/panels/heatmap/heatmap_panel.h"
#include "app/panels/hex/hex_panel.h"
#include "app/panels/history/history_panel.h"
#include "app/panels/inspector/inspector_panel.h"
#include "app/panels/layout/layout_panel.h"
#include "app/panels/map/memory_map_panel.h"
#include "app/panels/menu_bar.h"
#include "app/panels/script/log_panel.h"
#include "app/panels/script/output_panel.h"
#include "app/panels/script/script_panel.h"
#include "app/panels/sheets/file_browser.h"
#include "app/panels/sheets/help_card.h"
#include "app/panels/sheets/palette.h"
#include "app/panels/sheets/python_sheet.h"
#include "app/panels/sheets/settings_sheet.h"
#include "app/panels/statistics/statistics_panel.h"
#include "app/panels/status_bar.h"
#include "app/panels/tensors/sharing_panel.h"
#include "app/panels/tensors/tensor_table_panel.h"
#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// The state that panels keep from frame to frame.
struct PanelStates {
  AskedActions actions;
  MenuBarState menu;
  StatusBarState status;
  ScriptPanelState script;
  OutputPanelState output;
  TensorTableState tensors;
  InspectorState inspector;
  MemoryMapState memory;
  SharingPanelState sharing;
  ValuesPanelState values;
  LayoutPanelState layout;
  StatisticsPanelState statistics;
  HeatmapPanelState heatmap;
  HexPanelState hex;
  ComparePanelState compare;
  HistoryPanelState history;
  FileBrowserState files;
  PaletteState palette;
  PythonSheetState pythons;
  HelpCardState help;
  LogPanelState log;
  StackPanelState stack;
  ExchangeState exchange;
  SettingsSheetState settings;
  std::optional<LayoutPreset> arrange = LayoutPreset::debug;  // arrange the panels in this layout with the next frame
  int settling = 0;                                           // frames until an arrangement is complete
  std::string keeps_keyboard;                                 // the panel that gets the keyboard back then
  PanelRoom room;                                             // the room the panels were arranged for
  // A menu or list was open in the last frame: it gets the plain keys, and an Escape that closed it does not also deselect.
  bool popup_open = false;
  // A person moved a panel or an edge: then the arrangement is not changed again when the window is resized.
  bool arranged_by_hand = false;
  bool stop_shown = false;                                // the stack was brought to the front in this run
  int stop_in_front = 0;                                  // frames until it is in front
  std::string behind_stop;                                // the panel that it covered; "": none
  std::uint64_t generation_seen = 0, selection_seen = 0;  // FrameContext's
};

// The models that panels draw, besides the frame's context.
struct PanelModels {
  const ScriptModel& script;
  const OutputModel& output;
  TensorTableModel& tensors;
  const Inspection* inspection = nullptr;
  const Section* of_file = nullptr;  // what the shown tensor file says of itself
  const Notices& notices;
  HeldTotal held = {};  // what the host holds for the window
  std::span<const NamelessLease> nameless = {};
};

// One frame, between ImGui::NewFrame and ImGui::Render.
void draw_workspace(const FrameContext& context, PanelStates& states, const PanelModels& models, Commands& commands);

}  // namespace dlscope::app
