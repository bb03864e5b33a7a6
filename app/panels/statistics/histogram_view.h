// The histogram of a tensor's values: bars with their range below, hover says what a bar holds, a switch for a logarithmic height.
#pragma once

#include <cstdint>
#include <vector>

#include "app/models/jobs/kept.h"
#include "app/models/statistics/histogram_bars.h"
#include "app/panels/frame_context.h"

namespace dlscope::app {

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
  Kept<Seen, std::vector<HistogramBar>> bars;
  int under_mouse = -1;  // which bar; for tests
};

// Of the selected tensor; in what is left of the panel, at least a few lines high.
void draw_histogram(const FrameContext& context, HistogramView& view, const core::Statistics& statistics, BinnedValues values);

}  // namespace dlscope::app
