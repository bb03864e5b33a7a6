// The bars of a histogram in the room there is: as many bins in each as it takes for a bar to be seen. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/statistics/statistics.h"

namespace dlscope::app {

// "17 %", "0.12 %", "99.97 %"; never 0 or 100 % of what is neither.
[[nodiscard]] std::string percent_text(std::uint64_t part, std::uint64_t all);

struct HistogramBar {
  std::uint64_t count = 0;
  double low = 0, high = 0;  // the last bar holds `high` too
  float height = 0;          // 0 to 1; a bar with a value in it is never 0
};

enum class HistogramScale : std::uint8_t { linear, logarithmic };

// What the bins hold. A bin holds at least one whole number, so that those behind the largest one stay empty: they are left out.
enum class BinnedValues : std::uint8_t { real, whole };

// At most `most` bars (>= 1), of equally many bins each.
[[nodiscard]] std::vector<HistogramBar> histogram_bars(const core::Histogram& histogram, std::size_t most, HistogramScale scale,
                                                       BinnedValues values);

// "-0.5 ≤ x < 0.25: 1 204 values (3.1 %)", "3 to 5: ..."; `all`: the finite values.
[[nodiscard]] std::string bar_text(const HistogramBar& bar, bool last, std::uint64_t all, BinnedValues values);
// Finite values outside the range: "12 below, 3 above"; "" for none.
[[nodiscard]] std::string outlier_text(const core::Histogram& histogram);

}  // namespace dlscope::app
