// The judge of the statistics: one value after another in C order, each decoded by itself, sums in long double about the mean.
#pragma once

#include <string>
#include <vector>

#include "core/statistics/statistics.h"

namespace dlscope::core::test {

struct Reference {
  ValueSummary summary;             // its errors are 0
  std::vector<long double> finite;  // sorted
};

// Of memory of this process.
[[nodiscard]] Reference slow_statistics(DType dtype, LayoutView layout, const void* data);

// Compares everything but the histogram and the quantiles; the sums by the bounds that `got` claims. "" when they agree.
[[nodiscard]] std::string difference(const ValueSummary& got, const Reference& expected);
// The same for a histogram with quantiles over all values. Bins may differ by what lies on an edge.
[[nodiscard]] std::string difference(const Histogram& got, const Reference& expected);

}  // namespace dlscope::core::test
