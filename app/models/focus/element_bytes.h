// Where a focus on an element lights bytes. thread: any.
#pragma once

#include "app/models/tensors/memory_place.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// The bytes that the element touches, also where it has only some bits of them.
[[nodiscard]] inline core::ByteRange element_bytes(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                                   std::uint64_t element) {
  const core::LayoutView layout = snapshot.layout(tensor);
  const std::int64_t first = core::bit_offset_of(layout, element);
  const std::int64_t last = first + static_cast<std::int64_t>(layout.item_bits) + 7;
  return {tensor.address + static_cast<core::Address>(first >> 3), tensor.address + static_cast<core::Address>(last >> 3)};
}

// Bytes of what has no place must light nothing in other views, whatever lies at the same addresses.
[[nodiscard]] inline core::SpaceId lit_space(const core::TensorRecord& tensor) {
  return has_place(tensor) ? tensor.space : core::kNoSpace;
}

}  // namespace dlscope::app
