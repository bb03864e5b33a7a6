// The number that an item is. DLPack has no dtype for a number in the other byte order, nor for one of fewer than 8 bits that NumPy
// keeps in a byte of its own: such an element is described as an item with one number. Pure functions; thread: any.
#pragma once

#include <cstdint>
#include <optional>

#include "core/tensor/item_type.h"

namespace dlscope::core {

struct ItemNumber {
  DType dtype;
  std::uint8_t reversed_bytes = 0;  // as ElementSource has it
};

// field: the only one of an item of so many bytes, without a name. nullopt: it is no number that can be decoded.
[[nodiscard]] std::optional<ItemNumber> number_in(const FieldLayout& field, std::uint32_t item_bytes);
[[nodiscard]] std::optional<ItemNumber> number_in(const ItemType& item);

}  // namespace dlscope::core
