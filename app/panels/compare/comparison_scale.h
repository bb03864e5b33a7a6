// The colour scale below a picture of a comparison; several lines in a narrow pane.
#pragma once

#include <cstdint>

#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/short_number.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

struct ComparisonScale {
  NumberRange range;           // of the colours
  HeatmapInks inks;            // with the table of colours
  std::uint8_t specials = 0;   // union of the TexelFlag of what is drawn
  bool of_difference = false;  // else of A or B
  bool of_unequal = false;     // with of_difference: only equal or different, no numbers
  bool truth_values = false;
  Digits digits = Digits::six;  // of the numbers at the ends
  double exact = kExactInDoubles;
  bool complex_values = false;
};

void draw_comparison_scale(const FrameContext& context, const ComparisonScale& scale);

}  // namespace dlscope::app
