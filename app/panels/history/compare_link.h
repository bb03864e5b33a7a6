// A link from a statement of the history about a tensor's bytes to their comparison.
#pragma once

#include <cstdint>

#include "app/models/actions/commands.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Whether the bytes of a shown tensor were remembered at that moment, under one of its names.
[[nodiscard]] bool can_compare(const FrameContext& context, std::uint32_t tensor, std::uint64_t moment);
[[nodiscard]] float compare_link_width();
// "Compare": selects the tensor and compares its bytes of that moment with the shown ones.
void draw_compare_link(const FrameContext& context, std::uint32_t tensor, std::uint64_t moment, Commands& commands);

}  // namespace dlscope::app
