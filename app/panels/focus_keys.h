// The keys that move a pinned focus: arrows by one element along the axes shown, with Ctrl to the end of the axis, Page Up
// and Page Down along a third axis, Home and End along the row. For the panel that has the keyboard.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/models/actions/commands.h"
#include "app/models/layout/axis_mapping.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct StepKey {
  FocusStep step{};
  bool extend = false;  // Shift is held: a selection grows instead
};

// The step key pressed in this frame; ImGui's keyboard navigation does not get it. Call every frame in which the keys are wanted.
[[nodiscard]] std::optional<StepKey> pressed_step_key();

// For a panel whose pictures + and - zoom: true where + was pressed in this frame, false where - was. As other single keys they
// are for the panel under the mouse where that has them, else for the one with the keyboard. Held, they repeat.
[[nodiscard]] std::optional<bool> pressed_zoom_key(ActionContext panel);

using MirroredElement = std::function<std::uint64_t(std::uint64_t)>;
// Call inside the window of a panel that shows `tensor` through `mapping`: a step key pins the next element, or the first one
// when no element of that tensor is pinned. mirrored: null, or which element is shown where another one would be, and the other
// way round, in a panel that shows some axes from their end.
void move_pinned_focus(const FrameContext& context, std::uint32_t tensor, const AxisMapping& mapping, Commands& commands,
                       const MirroredElement& mirrored = nullptr);
// The same for a panel that shows the selected tensor or a field of it: `mapping` and elements are those of what is shown.
void move_pinned_focus(const FrameContext& context, const ShownValues& values, const AxisMapping& mapping, Commands& commands,
                       const MirroredElement& mirrored = nullptr);

}  // namespace dlscope::app
