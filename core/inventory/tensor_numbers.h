// The numbers that a tensor's elements are. Mostly those of its dtype. DLPack has no dtype for a number in the other byte order, nor for
// one of fewer than 8 bits that NumPy keeps in a byte of its own: such an element is described as an item with one number
// (core/tensor/item_number.h). Whatever reads values takes their dtype and place from here.
// Pure functions; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/inventory/snapshot.h"
#include "core/statistics/statistics.h"
#include "core/tensor/element.h"

namespace dlscope::core {

struct TensorNumbers {
  DType dtype;                      // the tensor's own where its elements are no numbers
  std::uint8_t reversed_bytes = 0;  // as ElementSource has it

  // A lane of the element that begins `bit` bits into `bytes`, which are as they lie in memory.
  [[nodiscard]] Value decode(std::span<const std::byte> bytes, std::size_t bit, unsigned lane = 0) const;
};

[[nodiscard]] TensorNumbers numbers_of(const Snapshot& snapshot, const TensorRecord& tensor);

// The tensor must have a layout. The source has no reader: ElementSource::read_by() gives it one.
[[nodiscard]] TensorValues tensor_values(const Snapshot& snapshot, const TensorRecord& tensor);

}  // namespace dlscope::core
