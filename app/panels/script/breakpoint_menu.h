// The button "Breakpoints": all of them, of whatever file, with what they do and what became of them; and the way to another file than
// the script, to set some there.
#pragma once

#include <optional>

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"
#include "app/panels/script/script_panel.h"

namespace dlscope::app {

// script: the path of the script's text, as in BreakpointList. Returns the place that was chosen to be shown.
[[nodiscard]] std::optional<SourcePlace> draw_breakpoint_menu(const FrameContext& context, const std::string& script,
                                                              Commands& commands);

}  // namespace dlscope::app
