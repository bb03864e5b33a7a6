// The list of completions above the console's field.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>

#include "app/models/script/console_completion.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Draws nothing while the list is closed. above: the list's lower left corner, in pixels of the screen. Returns the match that was
// clicked, by its number among those shown.
[[nodiscard]] std::optional<std::size_t> draw_completion_popup(const FrameContext& context, const CompletionList& list,
                                                               const ImVec2& above);

}  // namespace dlscope::app
