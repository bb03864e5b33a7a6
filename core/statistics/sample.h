// A sample of a tensor's values: small clusters of neighbours from all over its memory, about a million values whatever its size.
// The clusters lie at random places of equal shares of the tensor (always the same ones of a given layout), so that no pattern
// in the data can hide between regular steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/result.h"
#include "core/elements/memory_order.h"
#include "core/statistics/histogram_range.h"
#include "core/statistics/statistics.h"

namespace dlscope::core {

struct Sample {
  std::vector<std::byte> values;      // cluster after cluster
  std::vector<std::uint64_t> places;  // where each cluster begins
  std::uint32_t cluster = 0;          // values in each
  std::size_t value_bytes = 1;
  bool whole = false;  // the clusters are the whole tensor
};

[[nodiscard]] Result<Sample> take_sample(const TensorValues& values, const MemoryOrder& order, const std::stop_token& stop);

// Where the finite values of a sample lie: for the range of a histogram and as sampled quantiles.
struct SampledBulk {
  bool any = false;
  BulkOfValues range;
  Quantiles quantiles;
};
[[nodiscard]] SampledBulk bulk_of(const Sample& sample, DType dtype);

// sample_statistics() and where its values lay, for an exact pass that follows. Without a bulk where the answer is exact already.
struct SampledStatistics {
  Statistics statistics;
  SampledBulk bulk;
};
[[nodiscard]] Result<SampledStatistics> sample_with_bulk(const TensorValues& values, const StatisticsOptions& options);

}  // namespace dlscope::core
