// StridedSet: the set of bytes that a view touches, as a sum of arithmetic progressions in a normal form:
// { base + k0*1 + k1*stride1 + ... | 0 <= ki < counti }; axis 0 is the run of consecutive bytes.
// The normal form drops what does not affect the set: axes of size 1, strides of 0, the sign of strides and the order of axes;
// axes that continue one another are merged (a dense array of any rank is one run). So the order of elements is lost.
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

// Uninitialised on purpose: zeroing a kilobyte would cost more than normalising a view.
struct AxisStorage {
  std::array<Axis, kMaxRank + 1> axes;
};

struct StridedSet {
  Address base = 0;            // the lowest byte
  std::span<const Axis> axes;  // ascending strides; axes[0].stride is 1; borrowed
  std::uint64_t span = 0;      // in units, from the first one touched to one past the last; 0: the empty set
  // 8: strides and counts are in bytes. 1: in bits, for packed sub-byte views whose elements start at different bits
  // of their bytes; `phase` is then the first element's bit inside the byte `base`.
  std::uint32_t unit_bits = 8;
  std::uint32_t phase = 0;
  // Every stride is at least the span of the axes below it. Then no two index tuples give the same unit, addresses are in the
  // order of indices, and there are closed forms for counting, finding and comparing.
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

// The same sum with every axis cut to the steps that, together with the other axes, can reach [begin, end); axes with one step
// left are dropped, except the lowest. `shift` receives the offset of the first tuple that is kept. Returns the axes, which lie
// in `storage`; an empty result means that nothing reaches the window.
[[nodiscard]] std::span<const Axis> clip_axes(std::span<const Axis> axes, std::uint64_t begin, std::uint64_t end,
                                              AxisStorage& storage, std::uint64_t& shift);

}  // namespace dlscope::core
