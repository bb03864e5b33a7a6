// The range of the colours from all values of a tensor, by its statistics, and its description. No I/O.
#pragma once

#include <string>

#include "app/models/heatmap/heatmap_tile.h"
#include "app/models/statistics/statistics_store.h"

namespace dlscope::app {

struct ValuesRange {
  NumberRange range;  // any is false: unknown
  std::string message;  // "min to max of all 400 values"
  bool is_sample = false;
};
// summary: null when nothing is known of the values.
[[nodiscard]] ValuesRange range_of_values(const core::ValueSummary* summary);

// Percentages of the values to leave out at each end. The statistics have quantiles for these only.
inline constexpr double kValueCuts[] = {0.1, 1, 5};
[[nodiscard]] ValuesRange percentiles_of_values(const core::Statistics* statistics, double cut);

// Why there is no such range, that it is being computed, or that code has run since the values were read; "": none of these.
[[nodiscard]] std::string values_range_state(const TensorStatistics* statistics, const Moment& now);

}  // namespace dlscope::app
