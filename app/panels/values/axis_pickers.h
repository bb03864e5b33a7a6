// Axis pickers: which two axes of a tensor run down and across, and where every other axis stands. Shared by the views
// that lay a tensor of any rank out as rows and columns.
#pragma once

#include <cstdint>
#include <span>

#include "app/models/layout/axis_mapping.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// Both draw nothing where there is nothing to choose and say whether the mapping changed. `mapping` must fit the shape; it does
// afterwards too.

// On the current line, on more where it is too short: "down", "across", "swap". Nothing up to rank 1.
bool draw_axis_choices(std::span<const std::int64_t> shape, AxisMapping& mapping);
// A slider "axis N" per fixed axis longer than 1, in at most that many lines; more are scrolled to.
inline constexpr int kMostSliderLines = 3;
bool draw_axis_sliders(const FrameContext& context, std::span<const std::int64_t> shape, AxisMapping& mapping,
                       int most_lines = kMostSliderLines);

// One axis: its name, a slider, its length. Starts a new line when this one is full, unless it is the first.
bool draw_axis_slider(const FrameContext& context, std::int64_t size, int axis, std::int64_t& at, bool first);

// How wide the choices are, one after the other; 0 up to rank 1.
[[nodiscard]] float axis_choices_width(std::span<const std::int64_t> shape);
// How many lines the sliders take at the width there is, unless they are kept to fewer.
[[nodiscard]] int axis_slider_lines(std::span<const std::int64_t> shape, const AxisMapping& mapping);

// Keeps what still fits another shape: the axes when the rank is the same, every fixed index inside its axis.
void fit_mapping(std::span<const std::int64_t> shape, AxisMapping& mapping);

}  // namespace dlscope::app
