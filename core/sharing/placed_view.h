// PlacedView: everything find_sharing() needs of an item. Made in one pass over the items in the order in which they are stored,
// because later passes go in order of addresses, in which items and layouts are scattered: their cache misses would cost more
// than everything else that is done for a view that meets no other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/address.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

// The axes of its set lie in a pool (PlacedItems::axes).
struct PlacedView {
  ByteRange extent;
  std::uint64_t distinct_bytes = kUnknownBytes;  // unknown: not counted by the caller, and there is no formula
  std::uint32_t id = 0;
  std::uint32_t rank = 0;  // position of its id among all ids, by which pairs are sorted
  std::uint32_t first_axis = 0;
  std::uint8_t axis_count = 0;
  std::uint8_t unit_bits = 8;
  std::uint8_t phase = 0;
  bool nested = false;

  [[nodiscard]] std::span<const Axis> axes(std::span<const Axis> pool) const { return pool.subspan(first_axis, axis_count); }
  [[nodiscard]] StridedSet set(std::span<const Axis> pool) const {
    StridedSet out;
    out.base = extent.begin;
    out.axes = axes(pool);
    out.span = unit_bits == 8 ? extent.size() : span_of(out.axes);
    out.unit_bits = unit_bits;
    out.phase = phase;
    out.nested = nested;
    return out;
  }
};

// Whether two views have equal sets, whatever the order of their elements. Such views are compared with others only once.
[[nodiscard]] inline bool same_set(const PlacedView& a, const PlacedView& b, std::span<const Axis> pool) {
  return a.extent == b.extent && a.unit_bits == b.unit_bits && a.phase == b.phase &&
         std::ranges::equal(a.axes(pool), b.axes(pool),
                            [](const Axis& x, const Axis& y) { return x.stride == y.stride && x.count == y.count; });
}

// The record of a pair, ids in ascending order. `overlap`: of `id` to `other_id`.
[[nodiscard]] inline SharingPair pair_of(std::uint32_t id, std::uint32_t other_id, const SetOverlap& overlap) {
  SharingPair pair;
  const bool turned = id > other_id;
  pair.a = turned ? other_id : id;
  pair.b = turned ? id : other_id;
  pair.relation = turned ? mirrored(overlap.relation) : overlap.relation;
  pair.method = overlap.method;
  pair.why = overlap.why;
  pair.shared_bytes = overlap.known() ? overlap.shared_bytes : kUnknownBytes;
  pair.witness = overlap.shares() ? overlap.witness : 0;
  return pair;
}

}  // namespace dlscope::core
