// The kernel of a strided copy on one device: thread i copies item i in the target's order, so that neighbouring threads write
// neighbouring bytes (coalesced).
#pragma once

#include <cstdint>

#include "core/devices/kernels/on_both.h"

namespace dlscope::core::kernels {

inline constexpr int kMaxCopyAxes = 65;  // kMaxRank, and one for items of several units

// The kernel's argument, passed by value: must fit the 4 KiB of parameters that every device allows.
struct ItemCopy {
  std::uint64_t from, to;  // addresses of the first item
  std::uint64_t items;
  std::int32_t axes;  // sorted by the target's stride, the longest first
  std::int64_t count[kMaxCopyAxes];
  std::int64_t from_stride[kMaxCopyAxes], to_stride[kMaxCopyAxes];  // bytes
};
static_assert(sizeof(ItemCopy) < 4096);

struct alignas(16) Bytes16 {
  std::uint64_t low, high;
};

struct ItemPlaces {
  std::uint64_t from, to;
};

// The two addresses of item i. Index: a 32-bit type if the number of
// items fits it, because its divisions are several times as fast.
template <class Index>
DLSCOPE_ON_BOTH inline ItemPlaces places_of_item(const ItemCopy& copy, Index i) {
  std::int64_t from = 0, to = 0;
  Index rest = i;
  for (int axis = copy.axes - 1; axis >= 0; --axis) {
    const auto count = static_cast<Index>(copy.count[axis]);
    const Index next = rest / count;
    const auto at = static_cast<std::int64_t>(rest - next * count);
    from += at * copy.from_stride[axis];
    to += at * copy.to_stride[axis];
    rest = next;
  }
  return {copy.from + static_cast<std::uint64_t>(from), copy.to + static_cast<std::uint64_t>(to)};
}

}  // namespace dlscope::core::kernels
