// PlacedView: all that sharing needs of an item, made in one pass over the items in the order in which they lie in memory.
// In order of addresses the items and their layouts lie scattered: touching each of them once more would cost more than
// everything else done for a view that meets no other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/address.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/sharing.h"

namespace dlscope::core {

// The axes of its set lie in a pool of Axis beside it.
struct PlacedView {
  ByteRange extent;
  std::uint64_t distinct_bytes = kUnknownBytes;  // unknown: neither counted by the caller nor said by a formula
  std::uint32_t id = 0;
  std::uint32_t rank = 0;  // of its id among all ids: pairs are ordered by it
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

// Views that touch the same bytes for the same reason are compared once for all: equal sets, whatever the order of elements.
[[nodiscard]] inline bool same_set(const PlacedView& a, const PlacedView& b, std::span<const Axis> pool) {
  return a.extent == b.extent && a.unit_bits == b.unit_bits && a.phase == b.phase &&
         std::ranges::equal(a.axes(pool), b.axes(pool),
                            [](const Axis& x, const Axis& y) { return x.stride == y.stride && x.count == y.count; });
}

// The record of two views in the order of their ids; `overlap` is of the item that is named first.
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
