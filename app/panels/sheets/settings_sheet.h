// The settings sheet: theme, scale, motion, Python, and every key. Changes take effect at once.
#pragma once

#include <optional>
#include <string>

#include "app/models/actions/actions.h"
#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct SettingsSheetState {
  std::string filter;
  std::optional<ActionId> listening;  // gets the next key chord; other uses of keys are off meanwhile
};

void draw_settings_sheet(const FrameContext& context, SettingsSheetState& state, ViewSwitches& show, Commands& commands);

}  // namespace dlscope::app
