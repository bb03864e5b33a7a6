// What becomes of each axis of a heat map's tensor: down, across, an index, reduced, the channels of an image.
#pragma once

#include <cstdint>
#include <span>

#include "app/panels/heatmap/heatmap_panel.h"

namespace dlscope::app {

// On one line: a choice for every axis, rows and columns swapped, whether it is an image. Nothing up to rank 1.
void draw_heatmap_axes(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype);
// A heat map becomes an image, with the likeliest axis for its channels, and an image a heat map. Nothing where it cannot be one.
void toggle_image(HeatmapPanelState& state, std::span<const std::int64_t> shape, core::DType dtype);
// Of each axis that is no row or column of cells: one index with its slider, the least, the greatest or the mean along it, or tiles.
void draw_outer_axes(const FrameContext& context, HeatmapPanelState& state, std::span<const std::int64_t> shape);

}  // namespace dlscope::app
