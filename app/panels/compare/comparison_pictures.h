// Pictures of A, B and their difference side by side, or A and B in one place with a movable divider. Camera, slice and colour
// range are linked, each unless switched off.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/panels/compare/comparison_pane.h"

namespace dlscope::app {

enum class PictureArrangement : std::uint8_t {
  beside,  // A, B and the difference
  swipe,   // A left of a divider and B right of it; the difference
  count
};

struct ComparisonPicturesState {
  std::array<ComparisonPane, static_cast<std::size_t>(ComparePicture::count)> panes;
  PictureArrangement arrangement = PictureArrangement::beside;
  DifferenceLook look;
  bool link_camera = true, link_slice = true, link_range = true;
  float divider = 0.5F;   // part of the width
  bool flipped = false;   // the last frame showed B in place of A; for tests
  std::vector<std::int64_t> shape;  // of the tensors in the panes
  std::optional<std::uint64_t> followed;  // the pinned element, brought into view once
};

// Why there are no pictures of the two, as a sentence; "": there are.
[[nodiscard]] std::string why_no_pictures(const ComparedSides& sides);
void draw_comparison_pictures(const FrameContext& context, ComparisonPicturesState& state, Commands& commands);

}  // namespace dlscope::app
