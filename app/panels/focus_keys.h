// The keys that move a pinned focus: arrows by one element along the axes shown, with Ctrl to the end of the axis, Page Up
// and Page Down along a third axis, Home and End along the row. For the panel that has the keyboard.
#pragma once

#include <optional>

#include "app/models/actions/commands.h"
#include "app/models/layout/axis_mapping.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct StepKey {
  FocusStep step{};
  bool extend = false;  // Shift is held: a selection grows instead
};

// What was pressed in this frame, taken away from keyboard navigation. Call every frame while the keys are wanted.
[[nodiscard]] std::optional<StepKey> pressed_step_key();

// Inside the window of a panel that shows `tensor` through `mapping`: pins the next element when a key says so, the first one
// when none of that tensor is pinned.
void move_pinned_focus(const FrameContext& context, std::uint32_t tensor, const AxisMapping& mapping, Commands& commands);

}  // namespace dlscope::app
