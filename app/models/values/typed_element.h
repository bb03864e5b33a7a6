// TypedElement: an element as somebody typed it, as bits, and bits put into the bytes of a tensor. The other direction is
// core/tensor/element.h. Pure; thread: any.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/dtype.h"

namespace dlscope::app {

// The bits of one element, lowest first, in as many bytes as they need. A number as Python writes it ("1.5", "-3", "True", "1+2j", "nan",
// "inf"), rounded to the nearest value where the dtype is a float; or the bits themselves, as in 0x7fc00001 and 0b0101. Fails in words:
// no number, a number that the dtype cannot hold, a dtype of which only bits can be typed.
[[nodiscard]] core::Result<std::vector<std::byte>> typed_element(core::DType dtype, std::string_view text);

// Replaces `width` bits, from the bit `first` of `bytes` on.
void put_bits(std::span<std::byte> bytes, std::size_t first, std::span<const std::byte> bits, std::size_t width);

}  // namespace dlscope::app
