// StridedSet: the set of bytes a view touches, as a sum of arithmetic progressions in a normal form:
// { base + k0*1 + k1*stride1 + ... | 0 <= ki < counti }, axis 0 being the run of consecutive bytes.
// What tells nothing about the set is gone: axes of size 1, strides of 0, the sign of strides, the order of axes,
// and axes that continue one another (a dense array of any rank is one run). The order of elements is lost with it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/sharing/overlap.h"

namespace dlscope::core {

struct Axis {
  std::uint64_t stride;
  std::uint64_t count;
};

// Uninitialised on purpose: a kilobyte of zeros would cost more than the normalising.
struct AxisStorage {
  std::array<Axis, kMaxRank + 1> axes;
};

struct StridedSet {
  Address base = 0;            // the lowest byte
  std::span<const Axis> axes;  // ascending strides; axes[0].stride is 1; borrowed
  std::uint64_t span = 0;      // units from the first touched to one past the last; 0: the empty set
  // 8: strides and counts are in bytes. 1: in bits, for packed sub-byte views whose elements start at different bits
  // of their bytes; `phase` is then the first element's bit inside the byte `base`.
  std::uint32_t unit_bits = 8;
  std::uint32_t phase = 0;
  // Every stride is at least the span of the axes below it: no two index tuples give one unit, and order of addresses
  // is order of indices. Counting, finding and comparing then have closed forms.
  bool nested = false;

  [[nodiscard]] bool empty() const { return span == 0; }
  [[nodiscard]] bool in_bytes() const { return unit_bits == 8; }
  [[nodiscard]] bool dense() const { return in_bytes() && axes.size() == 1; }
  // One past the highest byte.
  [[nodiscard]] Address end() const { return base + (in_bytes() ? span : (phase + span + 7) / 8); }
  [[nodiscard]] ByteRange range() const { return {base, end()}; }
};

// The bytes of `view`. The result borrows `storage`.
[[nodiscard]] StridedSet bytes_of(const MemoryView& view, AxisStorage& storage);

// Product of the axes' counts; the number of units when the set is nested. Saturates.
[[nodiscard]] std::uint64_t tuple_count(std::span<const Axis> axes);

// From the lowest unit of the sum to one past the highest.
[[nodiscard]] std::uint64_t span_of(std::span<const Axis> axes);

// True when every stride is at least the span of the axes below (ascending strides expected).
[[nodiscard]] bool is_nested(std::span<const Axis> axes);

// The same sum with every axis cut to the steps that can reach [begin, end) together with the others; axes left with
// one step disappear. `shift` receives the offset of the first kept tuple. Returns the axes in `storage`; the lowest
// axis stays, and an empty result means that nothing reaches the window.
[[nodiscard]] std::span<const Axis> clip_axes(std::span<const Axis> axes, std::uint64_t begin, std::uint64_t end,
                                              AxisStorage& storage, std::uint64_t& shift);

}  // namespace dlscope::core
