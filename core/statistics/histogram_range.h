// Which range a histogram of 256 bins shows: all values, unless a few of them lie so far out that the rest would share a bin.
#pragma once

#include "core/statistics/block_kernels.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

inline constexpr double kBulkShare = 0.005;  // of the values on either side are not the bulk

struct BulkOfValues {
  double min = 0, max = 0;      // of the finite values
  double lower = 0, upper = 0;  // quantiles kBulkShare and 1 - kBulkShare
};

// Integers get bins that each hold the same number of integers. The range is never empty and its scale is finite.
[[nodiscard]] BinScale histogram_range(const BulkOfValues& bulk, DType dtype);

}  // namespace dlscope::core
