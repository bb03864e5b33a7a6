// Shows a tensor's state, the same way in every view: a swatch, hatched where the bytes may no longer be its own, and a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/panels/frame_context.h"

namespace dlscope::app {

// The tensor's group colour, as an item on the current line.
void tensor_swatch(const FrameContext& context, std::uint32_t tensor);

// "live", "not held since run 9 began", as an item on the current line; a word or two where `room` (pixels) has no more. The
// tooltip says what follows from the state. before: what is shown of the tensor, "then: ".
void state_of_tensor(const FrameContext& context, std::uint32_t tensor, float room, std::string_view before = {});
// To the end of the line.
void state_of_tensor(const FrameContext& context, std::uint32_t tensor);
// Width in pixels of the shortest form.
[[nodiscard]] float least_state_width(const FrameContext& context, std::uint32_t tensor, std::string_view before = {});

// At a stop where another frame is chosen than the one of the table's names: behind the name, whose it is ("of step()"); else "".
[[nodiscard]] std::string owner_beside_name(const FrameContext& context, const core::Snapshot& snapshot,
                                            const core::TensorRecord& tensor);
// That text behind a name, as an item on the same line; nothing for "".
void draw_owner(const FrameContext& context, const std::string& owner);

// Before what follows from two tensors sharing bytes: "Then: ", unless the bytes of both are still known to be theirs.
[[nodiscard]] const char* consequence_prefix(const FrameContext& context, std::uint32_t a, std::uint32_t b);

// "as of run 8; run 9 is running"; shorter when `room` (pixels) is short, "" when nothing fits.
[[nodiscard]] std::string moment_text(const FrameContext& context, float room);
// That text as an item on the current line, with a tooltip; nothing for "".
void moment_shown(const FrameContext& context, const std::string& text);

// What the look at the tensors left out, as a warning; nothing when it was complete.
void draw_limits_reached(const FrameContext& context);

// The colour of a state's text: a warning where the bytes may not be the tensor's own.
[[nodiscard]] const ImVec4& state_colour(const FrameContext& context, TensorState state);

}  // namespace dlscope::app
