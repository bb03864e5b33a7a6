// Closed forms for nested byte sets (strided_set.h): the number of bytes below an offset, the next
// byte from an offset on, and the number of bytes that two sets have in common. The cost depends on
// the number of axes and not on sizes if the strides of the two sets are commensurate, as those of
// views of one array are; otherwise the smaller outer axis is walked step by step, within a limit.
//
// Let s and t be the outer strides, g = gcd(s, t), and let each inner copy fit into g bytes. Write the offset between the sets as
// Q g + r with 0 <= r < g. Then copy k of a and copy l of b can meet only if k s - l t is Q g or (Q + 1) g. So there are at most
// two families of pairs (k, l), the solutions of k p - l q = const with p = s/g and q = t/g, each an arithmetic progression; all
// pairs of a family have the same bytes in common.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/sharing/strided_set.h"

namespace dlscope::core {

// A nested set as a chain of levels from the outermost axis inwards: `count` copies of `inner`, `stride` bytes apart, not
// overlapping. Without initial values, because arrays of levels have room for many and use few.
struct NestedLevel {
  const NestedLevel* inner;  // null: a run of `count` consecutive bytes
  std::uint64_t stride;
  std::uint64_t count;
  std::uint64_t span;  // from the first byte to one past the last
  std::uint64_t size;  // bytes in the set
};

// Writes one level for each axis of a nested, non-empty set in bytes
// to `levels` and returns the outermost. The chain borrows `levels`.
const NestedLevel* chain_levels(std::span<const Axis> axes, NestedLevel* levels);

// Bytes of the set whose offset is below `offset`.
[[nodiscard]] std::uint64_t count_below(const NestedLevel& set, std::uint64_t offset);

// The lowest offset in the set that is >= offset; offset < set.span.
[[nodiscard]] std::uint64_t next_in(const NestedLevel& set, std::uint64_t offset);

struct CommonBytes {
  std::uint64_t count = 0;
  std::uint64_t lowest = 0;  // offset in the first set; meaningless when count is 0
};

// The bytes that `a` and `b` moved by `b_offset` have in common. Subtracts the
// steps used from `steps_left`. False: more steps would be needed, or stopped.
[[nodiscard]] bool common_bytes(const NestedLevel& a, const NestedLevel& b, std::int64_t b_offset, std::uint64_t& steps_left,
                                const std::stop_token& stop, CommonBytes& out);

}  // namespace dlscope::core
