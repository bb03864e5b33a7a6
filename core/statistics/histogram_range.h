// The range of a histogram of 256 bins: from min to max, unless a few outliers would squeeze the bulk of the values into a few bins;
// then a range around the bulk, and the outliers are counted as below and above. Pure functions; thread: any.
#pragma once

#include "core/statistics/block_kernels.h"
#include "core/tensor/dtype.h"

namespace dlscope::core {

inline constexpr double kBulkShare = 0.005;  // the bulk is between the quantiles 0.005 and 0.995

struct BulkOfValues {
  double min = 0, max = 0;      // of the finite values
  double lower = 0, upper = 0;  // quantiles kBulkShare and 1 - kBulkShare
};

// Integers get bins that each hold the same number of integers. The range is never empty and its scale is finite.
[[nodiscard]] BinScale histogram_range(const BulkOfValues& bulk, DType dtype);

}  // namespace dlscope::core
