// The statistics of the selected tensor's values: counts, extremes, mean, special values and their places, a histogram. Small
// tensors are read at once, large ones on request; the panel always says what the numbers cover, and when they were read.
#pragma once

#include <string>
#include <vector>

#include "app/models/actions/commands.h"
#include "app/models/jobs/cached_value.h"
#include "app/models/statistics/statistics_text.h"
#include "app/panels/frame_context.h"
#include "app/panels/statistics/histogram_view.h"

namespace dlscope::app {

struct StatisticsPanelState {
  struct Seen {
    std::uint64_t generation = 0;
    std::uint32_t tensor = core::kNone32;
    std::uint16_t field = core::kNone16;
    std::uint64_t statistics = 0;  // StatisticsStore::summaries_revision
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  CachedValue<Seen, std::vector<StatisticsFact>> facts;
  HistogramView histogram;
};

// ends: of the heat map's colour range, which the histogram shows and moves.
void draw_statistics_panel(const FrameContext& context, StatisticsPanelState& state, ColourEnds& ends, Commands& commands);

}  // namespace dlscope::app
