// The sheet with what can be set: theme, size, movement, Python, and every key. Changes act at once.
#pragma once

#include <optional>
#include <string>

#include "app/models/actions/actions.h"
#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct SettingsSheetState {
  std::string filter;
  std::optional<ActionId> listening;  // the next chord becomes this action's; keys do nothing else meanwhile
};

void draw_settings_sheet(const FrameContext& context, SettingsSheetState& state, ViewSwitches& show, Commands& commands);

}  // namespace dlscope::app
