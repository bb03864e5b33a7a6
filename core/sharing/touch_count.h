// How many elements of one view touch each of its bytes: one in a usual view, more in a broadcast or sliding-window view. Given
// as a table of counts, and as runs for drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/sharing/overlap.h"

namespace dlscope::core {

struct TouchedRun {
  ByteRange bytes;
  std::uint64_t times = 0;  // > 0
  friend bool operator==(const TouchedRun&, const TouchedRun&) = default;
};
struct TouchedBytes {
  std::uint64_t times = 0, bytes = 0;  // how many bytes are touched by exactly `times` elements
  friend bool operator==(const TouchedBytes&, const TouchedBytes&) = default;
};
struct TouchCount {
  std::vector<TouchedBytes> counts;  // of the whole view, sorted by `times`
  // In the window only, sorted by address. Adjacent runs differ in `times`; bytes that no element touches are in no run.
  std::vector<TouchedRun> runs;
  bool has_all_runs = true;  // false: there are more than `most_runs`, or listing them is over budget
};

// nullopt: over budget, or stopped. thread: any. Closed form if elements share bytes only through strides of 0; otherwise by the
// row sweep (row_sweep.h), whose covers are the counts, or, for few or packed elements, by listing them.
[[nodiscard]] std::optional<TouchCount> count_touches(const MemoryView& view, ByteRange window, std::size_t most_runs,
                                                      const OverlapBudget& budget = {});

// The same by listing every element, in 32 bytes of scratch memory for each: the reference in tests.
[[nodiscard]] std::optional<TouchCount> count_touches_by_listing(const MemoryView& view, ByteRange window, std::size_t most_runs,
                                                                 const OverlapBudget& budget = {});

}  // namespace dlscope::core
