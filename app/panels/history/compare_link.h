// From what the history says of a tensor's bytes to the comparison of the two.
#pragma once

#include <cstdint>

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Whether the bytes of a tensor of what is shown were remembered at that moment, under one of its names.
[[nodiscard]] bool can_compare(const FrameContext& context, std::uint32_t tensor, std::uint64_t moment);
[[nodiscard]] float compare_link_width();
// "Compare": selects the tensor, and holds what it was at that moment against what is shown.
void draw_compare_link(const FrameContext& context, std::uint32_t tensor, std::uint64_t moment, Commands& commands);

}  // namespace dlscope::app
