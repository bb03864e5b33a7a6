// The bars of a histogram for the available width: several bins per bar where needed. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/statistics/statistics.h"

namespace dlscope::app {

// "17 %", "0.12 %", "99.97 %"; never rounded to 0 or 100 %.
[[nodiscard]] std::string percent_text(std::uint64_t part, std::uint64_t all);

struct HistogramBar {
  std::uint64_t count = 0;
  double low = 0, high = 0;  // the last bar includes `high`
  float height = 0;          // 0 to 1; more than 0 for a bar that has values
};

enum class HistogramScale : std::uint8_t { linear, logarithmic };

// Whole numbers: a bin spans at least one of them, so bins beyond the largest value stay empty and are left out.
enum class BinnedValues : std::uint8_t { real, whole };

// At most `most` bars (>= 1), each with the same number of bins.
[[nodiscard]] std::vector<HistogramBar> histogram_bars(const core::Histogram& histogram, std::size_t most, HistogramScale scale,
                                                       BinnedValues values);

// "-0.5 ≤ x < 0.25: 1 204 values (3.1 %)", "3 to 5: ..."; all: the number of finite values.
[[nodiscard]] std::string bar_text(const HistogramBar& bar, bool last, std::uint64_t all, BinnedValues values);
// How many digits the two ends of a range need, so that what rounding takes from them is small beside the range.
[[nodiscard]] int digits_of_ends(double low, double high);
// Finite values outside of the range: "12 below, 3 above"; "": none.
[[nodiscard]] std::string outlier_text(const core::Histogram& histogram);

}  // namespace dlscope::app
