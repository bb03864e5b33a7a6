// Closed forms on nested byte sets (strided_set.h): how many bytes below a point, the next byte from a point, and how
// many bytes two such sets have in common. Cost depends on the number of axes, not on sizes, as long as the strides of
// both sets are commensurate (views of one array are); otherwise the smaller outer axis is walked, within a limit.
//
// With outer strides s and t, g = gcd(s, t) and all of an inner copy within g bytes, copies k of a and l of b can only meet
// when k s - l t is Q g or (Q + 1) g, where offset = Q g + r, 0 <= r < g: at most two families of pairs (k, l), each an
// arithmetic progression of solutions of k p - l q = const with p = s/g, q = t/g, and in each all copies meet alike.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/sharing/strided_set.h"

namespace dlscope::core {

// A nested set as a chain from the outermost axis inwards: `count` copies of `inner`, `stride` apart, not overlapping.
// No initial values: a chain has room for many levels and uses few.
struct NestedLevel {
  const NestedLevel* inner;  // null: a run of `count` consecutive bytes
  std::uint64_t stride;
  std::uint64_t count;
  std::uint64_t span;  // from the first byte to one past the last
  std::uint64_t size;  // bytes in the set
};

// Writes one level for each axis of a nested set in bytes (not empty) into `levels`; returns the outermost.
const NestedLevel* chain_levels(std::span<const Axis> axes, NestedLevel* levels);

// Bytes of the set whose offset is below `offset`.
[[nodiscard]] std::uint64_t count_below(const NestedLevel& set, std::uint64_t offset);

// The lowest offset in the set that is >= offset; offset < set.span.
[[nodiscard]] std::uint64_t next_in(const NestedLevel& set, std::uint64_t offset);

struct CommonBytes {
  std::uint64_t count = 0;
  std::uint64_t lowest = 0;  // offset in the first set; meaningless when count is 0
};

// The bytes common to `a` and to `b` moved by `b_offset`. False: more steps than `steps_left`, or stopped. What was used is
// taken off.
[[nodiscard]] bool common_bytes(const NestedLevel& a, const NestedLevel& b, std::int64_t b_offset, std::uint64_t& steps_left,
                                const std::stop_token& stop, CommonBytes& out);

}  // namespace dlscope::core
