// The kernel of a strided copy on one device: thread i moves item i of the target's order, so that neighbouring threads write
// neighbouring bytes.
#pragma once

#include <cstdint>

#include "core/devices/kernels/on_both.h"

namespace dlscope::core::kernels {

inline constexpr int kMostCopyAxes = 65;  // kMaxRank, and items of several units

// By value to the kernel: within the 4 KiB that every device takes.
struct ItemCopy {
  std::uint64_t from, to;  // addresses of the first item
  std::uint64_t items;
  std::int32_t axes;  // the target's longest stride first
  std::int64_t count[kMostCopyAxes];
  std::int64_t from_stride[kMostCopyAxes], to_stride[kMostCopyAxes];  // bytes
};
static_assert(sizeof(ItemCopy) < 4096);

struct alignas(16) Bytes16 {
  std::uint64_t low, high;
};

struct ItemPlaces {
  std::uint64_t from, to;
};

// Where item i lies. Index: 32 bits where all items can be counted with them, because dividing them is several times as fast.
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
