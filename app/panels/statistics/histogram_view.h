// The histogram of a tensor's values: bars with their range below, a tooltip for each bar, a switch for logarithmic height; and
// two handles for the ends of the heat map's colour range.
#pragma once

#include <cstdint>
#include <vector>

#include "app/models/jobs/cached_value.h"
#include "app/models/statistics/histogram_bars.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

// The ends of the heat map's colour range, drawn and movable in the histogram.
struct ColourEnds {
  double low = 0, high = 0;
  bool shown = false;  // the heat map shows this tensor
  bool moved = false;  // by a handle, in this frame
};

struct HistogramView {
  HistogramScale scale = HistogramScale::linear;
  struct Seen {
    std::uint64_t generation = 0;
    std::uint32_t tensor = core::kNone32;
    std::uint64_t statistics = 0;  // StatisticsStore::summaries_revision
    std::size_t most = 0;
    HistogramScale scale{};
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  CachedValue<Seen, std::vector<HistogramBar>> bars;
  int under_mouse = -1;  // number of the bar; for tests
  ImVec2 handles[2] = {};  // screen positions of the handles; for tests
};

// For the selected tensor; fills the rest of the panel, at least a few lines high.
void draw_histogram(const FrameContext& context, HistogramView& view, const core::Statistics& statistics, BinnedValues values,
                    ColourEnds& ends);

}  // namespace dlscope::app
