// How a tensor's state is shown, the same in every view: a hatched swatch where its bytes may no longer be its own, and words.
#pragma once

#include <cstdint>
#include <string>

#include "app/panels/frame_context.h"

namespace dlscope::app {

// The tensor's group colour, as an item on the current line.
void tensor_swatch(const FrameContext& context, std::uint32_t tensor);

// "live", "not held since run 9 began", as an item on the current line; `brief` where the rest of the line is too short for it.
// The tooltip says what follows from it.
void state_of_tensor(const FrameContext& context, std::uint32_t tensor, const char* brief);

// "as of run 8; run 9 is running", shorter where `room` says so, "" where not even that fits.
[[nodiscard]] std::string moment_text(const FrameContext& context, float room);
// The same as an item on the current line, with a tooltip; nothing for "".
void moment_shown(const FrameContext& context, const std::string& text);

// The colour such words have: a warning where the bytes may be somebody else's.
[[nodiscard]] const ImVec4& state_colour(const FrameContext& context, TensorState state);

}  // namespace dlscope::app
