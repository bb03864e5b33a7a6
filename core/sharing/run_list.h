// The runs of consecutive bytes of a set, listed one by one: the plain way, and the cheapest one for sets of few runs
// however far apart they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/sharing/strided_set.h"

namespace dlscope::core {

// How many runs list_runs() would visit for this window, before merging. Saturates.
[[nodiscard]] std::uint64_t runs_to_visit(const StridedSet& set, ByteRange window);

// Sorted, disjoint, none empty or touching the next. `window` lies inside set.range(). nullopt: stopped.
[[nodiscard]] std::optional<std::vector<ByteRange>> list_runs(const StridedSet& set, ByteRange window,
                                                              const std::stop_token& stop);

// Sorts, and joins what overlaps or touches.
void merge_runs(std::vector<ByteRange>& runs);

struct CommonRuns {
  std::uint64_t count = 0;
  Address lowest = 0;  // meaningless when count is 0
};
// Both sorted and disjoint.
[[nodiscard]] CommonRuns common_of_runs(std::span<const ByteRange> a, std::span<const ByteRange> b);
[[nodiscard]] std::uint64_t size_of_runs(std::span<const ByteRange> runs);

}  // namespace dlscope::core
