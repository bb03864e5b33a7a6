// The ends of the colours from all values of a tensor, as its statistics have them, and what they are said to be. Pure.
#pragma once

#include <string>

#include "app/models/heatmap/heatmap_tile.h"
#include "app/models/statistics/statistics_store.h"

namespace dlscope::app {

struct ValuesRange {
  NumberRange range;  // any is false: it is not known
  std::string message;  // "the least to the greatest of all 400 values"
  bool is_sample = false;
};
// summary: null when nothing is known of the values.
[[nodiscard]] ValuesRange range_of_values(const core::ValueSummary* summary);

// Without so many percent of the values at either end. Only these are worked out with the statistics.
inline constexpr double kValueCuts[] = {0.1, 1, 5};
[[nodiscard]] ValuesRange percentiles_of_values(const core::Statistics* statistics, double cut);

// Why there is no such range, or that it is on its way, or that code has run since the values were read; "".
[[nodiscard]] std::string values_range_state(const TensorStatistics* statistics, const Moment& now);

}  // namespace dlscope::app
