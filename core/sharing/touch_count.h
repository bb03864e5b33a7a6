// How many elements of one view touch each of its bytes: one in a usual view, more where it broadcasts or its windows slide.
// As counts, and as the runs that a picture of the view draws.
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
  std::uint64_t times = 0, bytes = 0;  // how many bytes are touched so often
  friend bool operator==(const TouchedBytes&, const TouchedBytes&) = default;
};
struct TouchCount {
  std::vector<TouchedBytes> counts;  // of the whole view, by ascending times; the last is the most often touched
  // Inside the window that was asked for: ascending, touching neighbours differ in times, bytes of nobody are left out.
  std::vector<TouchedRun> runs;
  bool has_all_runs = true;  // false: there are more than were asked for
};

// nullopt: over budget, or stopped. thread: any. Closed form where no two elements touch a byte but through a stride of 0;
// else by the row sweep (row_sweep.h), whose covers are the counts, or, for few elements and packed ones, by listing them.
[[nodiscard]] std::optional<TouchCount> count_touches(const MemoryView& view, ByteRange window, std::size_t most_runs,
                                                      const OverlapBudget& budget = {});

// The same by listing every element: the judge in tests.
[[nodiscard]] std::optional<TouchCount> count_touches_by_listing(const MemoryView& view, ByteRange window, std::size_t most_runs,
                                                                 const OverlapBudget& budget = {});

}  // namespace dlscope::core
