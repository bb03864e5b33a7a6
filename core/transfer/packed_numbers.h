// Numbers of 4 or 6 bits, packed as in DLPack (the first at the lowest bit), as one byte each, and back. Integers become those of
// 8 bits; the sign of a float becomes the highest bit of its byte, above its other bits.
// Pure functions; thread: any.
#pragma once

#include <cstddef>

#include "core/tensor/dtype.h"

namespace dlscope::core {

// Whether the functions below know the type.
[[nodiscard]] bool is_packed_number(DType dtype);

void unpack_numbers(DType dtype, const std::byte* from, std::byte* to, std::size_t count);
// Integers that do not fit become the nearest that do. `numbers` is changed. Bits of `to` after the last number stay as they are.
void pack_numbers(DType dtype, std::byte* numbers, std::byte* to, std::size_t count);

}  // namespace dlscope::core
