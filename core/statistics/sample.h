// A sample of a tensor's values: clusters of 128 consecutive places (8 if the values are more than 512 bytes apart), 2^20 values in all
// (2^17 if so). Stratified: the tensor is cut into equal parts and each gives one cluster, at a pseudo-random position, every place with
// the same probability whatever the period of the data. The same layout always gives the same positions. thread: any.
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
  std::vector<std::byte> values;      // cluster after cluster, as the library means them (TensorValues::signs)
  std::vector<std::uint64_t> places;  // where each cluster begins
  std::uint32_t cluster = 0;          // values in each
  std::size_t value_bytes = 1;
  bool whole = false;  // the clusters are the whole tensor
};

// Whether a tensor has no more than twice as many values as a sample: all are taken then.
[[nodiscard]] bool is_taken_whole(const MemoryOrder& order);

// Reads a sample, or all values (`whole`) of a tensor that is_taken_whole(). Fails in words when a byte cannot be
// read, with ErrorKind::cancelled when it was stopped.
[[nodiscard]] Result<Sample> take_sample(const TensorValues& values, const MemoryOrder& order, const std::stop_token& stop);

// How the finite values of a sample are distributed, from at most 65 536 of them: for the range of a histogram, and quantiles.
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
