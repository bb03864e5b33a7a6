// Lists the runs of consecutive bytes of a set one by one: the simplest method,
// and the cheapest for sets with few runs, however far apart these lie.
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

// The runs in `window`, which lies inside set.range(): sorted, not empty, with gaps between them. nullopt: stopped.
[[nodiscard]] std::optional<std::vector<ByteRange>> list_runs(const StridedSet& set, ByteRange window,
                                                              const std::stop_token& stop);

// Sorts the runs and joins those that overlap or touch. False: stopped; then `runs` is meaningless.
[[nodiscard]] bool merge_runs(std::vector<ByteRange>& runs, const std::stop_token& stop);

struct CommonRuns {
  std::uint64_t count = 0;
  Address lowest = 0;  // meaningless if count is 0
};
// Both lists must be sorted and disjoint. nullopt: stopped.
[[nodiscard]] std::optional<CommonRuns> common_of_runs(std::span<const ByteRange> a, std::span<const ByteRange> b,
                                                       const std::stop_token& stop);
[[nodiscard]] std::uint64_t size_of_runs(std::span<const ByteRange> runs);

}  // namespace dlscope::core
