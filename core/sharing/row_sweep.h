// The row sweep: counts what two sums of arithmetic progressions have in common, without a bit set of the whole window.
//
// Separate one axis, with stride s and n steps: the set is C + {0, s, 2s, ..., (n-1)s}, where C is the sum of the other axes.
// Divide the window into rows of s bits. An element c of C sets bit c mod s in the rows c/s, c/s + 1, ..., c/s + n-1, so from one
// row to the next only the bits of those c change that begin or end there. It is enough to keep one row of bits and, for every
// bit, the number of c that cover it. C is never stored; it is visited in ascending order along one of its axes, with a cursor
// for each tuple of the others.
// Work: each element of C enters and leaves once, every cursor is checked in every row, and the rows of both sets are ANDed.
// Memory: 4 bytes and a bit for each of s columns, and 24 bytes for each cursor; it stays in the cache, whatever the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "core/sharing/byte_set.h"

namespace dlscope::core {

// The cheapest choice, for one set, of the axis that makes the rows and the axis that the cursors walk.
struct SweepPlan {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t repeated = kNone;                  // index into SumWindow::axes; kNone: the whole span is one row
  std::size_t walked = 0;                        // the cursors' axis; another index into them
  std::uint64_t cost_words = ~std::uint64_t{0};  // in bit-set words written
  std::uint64_t scratch_bytes = 0;

  // False: every choice needs more memory than a sweep may use (8 MB per set).
  [[nodiscard]] bool possible() const { return scratch_bytes != 0; }
};
[[nodiscard]] SweepPlan plan_sweep(const SumWindow& window);

struct SweptCommon {
  std::uint64_t count = 0;   // bits of the window in both sets
  std::uint64_t lowest = 0;  // the first of them; meaningless when count is 0
  // Bits of each set in the rows visited; the size of the whole set if the window contains all of it.
  std::uint64_t in_a = 0, in_b = 0;
};
// Both windows must be `bits` bits long, and both plans possible. nullopt: stopped.
[[nodiscard]] std::optional<SweptCommon> sweep_common(const SumWindow& a, const SweepPlan& plan_a, const SumWindow& b,
                                                      const SweepPlan& plan_b, std::uint64_t bits, const std::stop_token& stop);

// The number of different bits in the sum of the window's axes, also outside the window. nullopt: stopped.
[[nodiscard]] std::optional<std::uint64_t> sweep_count(const SumWindow& window, const SweepPlan& plan,
                                                       const std::stop_token& stop);

// Reports how many elements of C cover each offset of the sum, row by row in ascending order: visit(first offset, counts from
// there on), several calls for a long row. The counts are valid during the call only. False: stopped.
[[nodiscard]] bool sweep_covers(const SumWindow& window, const SweepPlan& plan, const std::stop_token& stop,
                                const std::function<void(std::uint64_t, std::span<const std::uint32_t>)>& visit);

}  // namespace dlscope::core
