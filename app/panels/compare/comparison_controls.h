// The controls above the pictures of a comparison: what they show, and how they are linked.
#pragma once

#include <cstdint>

#include "app/panels/compare/comparison_pictures.h"

namespace dlscope::app {

enum class PictureControls : std::uint8_t {
  whole,      // every choice is seen
  as_buttons  // a button for a popup with the choices, and that for flipping
};
// In the same frame as the pictures, before draw_comparison_pictures().
void draw_comparison_controls(const FrameContext& context, ComparisonPicturesState& state, PictureControls controls);

}  // namespace dlscope::app
