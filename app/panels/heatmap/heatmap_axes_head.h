// The role of each axis of a heat map: down, across, index, reduced, or the channels of an image.
#pragma once

#include <cstdint>
#include <span>

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

// On one line: a choice for every axis, a button that swaps rows and columns, and whether it is an image. Nothing for rank 0 and
// 1.
void draw_heatmap_axes(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype);
// Turns a heat map into an image with the likeliest channel axis, or back. Does nothing when it cannot be an image.
void toggle_image(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype);
// For each axis that is not rows, columns or channels: its index with a slider, or how it is reduced or tiled.
void draw_outer_axes(const FrameContext& context, HeatmapPanelState& state, std::span<const std::int64_t> shape);

}  // namespace dlscope::app
