// Axis pickers: which two axes run down and across, and the index of every other axis. For all views that show a tensor of any
// rank as rows and columns.
#pragma once

#include <cstdint>
#include <span>

#include "app/models/layout/axis_mapping.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Both draw nothing when there is no choice, and return whether the mapping changed. `mapping` must fit the shape, and still does
// afterwards.

// "down", "across", "swap" on the current line, or on more when it is too short. Nothing for rank 0 and 1.
bool draw_axis_choices(std::span<const std::int64_t> shape, AxisMapping& mapping);
// A slider "axis N" per fixed axis longer than 1, on at most that many lines; beyond that it scrolls.
inline constexpr int kMaxSliderLines = 3;
bool draw_axis_sliders(const FrameContext& context, std::span<const std::int64_t> shape, AxisMapping& mapping,
                       int most_lines = kMaxSliderLines);

// One axis: name, slider, length. Begins a new line when this one is full, except for the first.
bool draw_axis_slider(const FrameContext& context, std::int64_t size, int axis, std::int64_t& at, bool first);

// Width of the choices on one line; 0 for rank 0 and 1.
[[nodiscard]] float axis_choices_width(std::span<const std::int64_t> shape);
// Number of lines that all sliders need at the present width.
[[nodiscard]] int axis_slider_lines(std::span<const std::int64_t> shape, const AxisMapping& mapping);

// Adapts the mapping to another shape: keeps the axes when the rank is equal, and clamps the fixed indices.
void fit_mapping(std::span<const std::int64_t> shape, AxisMapping& mapping);

}  // namespace dlscope::app
