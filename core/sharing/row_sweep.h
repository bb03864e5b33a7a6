// Counting what two sums of arithmetic progressions have in common without a bit set of the whole window.
//
// Take one axis apart: the set is C + {0, s, 2s, ..., (n-1)s}, C being the sum of the other axes. Cut the window into rows of
// s bits. An element c of C sets the bit c mod s of the rows c/s, c/s + 1, ..., c/s + n-1: from row to row only those bits
// change whose c begins or ends there. So one row of bits is kept, and for every bit how many c cover it at the moment;
// C itself is never stored: it is walked in ascending order along one of its axes by a cursor per tuple of the others.
// Work: each element of C enters and leaves once, every cursor looks at every row, and the rows of both sets are ANDed.
// Memory: 4 bytes and a bit for each of s columns, 24 bytes for each cursor; it stays in the cache, whatever the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "core/sharing/byte_set.h"

namespace dlscope::core {

// Which axis makes the rows and which one the cursors walk: the cheapest choice for this set.
struct SweepPlan {
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t repeated = kNone;                  // index into SumWindow::axes; kNone: the whole span is one row
  std::size_t walked = 0;                        // another index
  std::uint64_t cost_words = ~std::uint64_t{0};  // about as long as writing so many words of a bit set
  std::uint64_t scratch_bytes = 0;

  // False: every choice needs more memory than a sweep may take (8 MiB a set).
  [[nodiscard]] bool possible() const { return scratch_bytes != 0; }
};
[[nodiscard]] SweepPlan plan_sweep(const SumWindow& window);

struct SweptCommon {
  std::uint64_t count = 0;   // bits of the window in both sets
  std::uint64_t lowest = 0;  // the first of them; meaningless when count is 0
  // Bits of each set in the rows that were looked at: of the whole set where the window holds all of it.
  std::uint64_t in_a = 0, in_b = 0;
};
// Both windows are `bits` bits long. The plans are possible. nullopt: stopped.
[[nodiscard]] std::optional<SweptCommon> sweep_common(const SumWindow& a, const SweepPlan& plan_a, const SumWindow& b,
                                                      const SweepPlan& plan_b, std::uint64_t bits, const std::stop_token& stop);

// How many different bits the sum of the window's axes has, wherever the window lies. nullopt: stopped.
[[nodiscard]] std::optional<std::uint64_t> sweep_count(const SumWindow& window, const SweepPlan& plan,
                                                       const std::stop_token& stop);

// Tells how many elements of C cover each offset of the sum, row by row in ascending order: visit(first offset, counts from
// there on). The counts are valid during the call. False: stopped.
[[nodiscard]] bool sweep_covers(const SumWindow& window, const SweepPlan& plan, const std::stop_token& stop,
                                const std::function<void(std::uint64_t, std::span<const std::uint32_t>)>& visit);

}  // namespace dlscope::core
