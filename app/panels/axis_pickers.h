// Axis pickers: which two axes of a tensor run down and across, and where every other axis stands. Shared by the views
// that lay a tensor of any rank out as rows and columns.
#pragma once

#include <cstdint>
#include <span>

#include "app/models/axis_mapping.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Draws nothing up to rank 1: there is nothing to choose. True when the mapping changed. The widgets are called "down",
// "across", "swap" and, per fixed axis longer than 1, "axis N". `mapping` must fit the shape; it does afterwards too.
bool draw_axis_pickers(const FrameContext& context, std::span<const std::int64_t> shape, AxisMapping& mapping);

// Keeps what still fits another shape: the axes when the rank is the same, every fixed index inside its axis.
void fit_mapping(std::span<const std::int64_t> shape, AxisMapping& mapping);

}  // namespace dlscope::app
