// TypedElement: converts an element typed by a person to bits, and puts bits into the bytes of a tensor. The inverse is
// core/tensor/element.h. No I/O; thread: any.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/dtype.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::app {

// The bits of one element, lowest first, in as many bytes as they need. text: a number as Python writes it ("1.5", "-3", "True",
// "1+2j", "nan", "inf"), rounded to the nearest value of a float dtype; or the bits themselves, as in 0x7fc00001 and 0b0101.
// signs: a typed number is stored so that the library means it; typed bits are stored as they are.
// Fails with a message: not a number, a number that the dtype cannot hold, or a dtype that can only be typed as bits.
[[nodiscard]] core::Result<std::vector<std::byte>> typed_element(core::DType dtype, std::string_view text,
                                                                 core::SignBits signs = {});

// Replaces `width` bits of `bytes`, from bit `first` on.
void put_bits(std::span<std::byte> bytes, std::size_t first, std::span<const std::byte> bits, std::size_t width);

}  // namespace dlscope::app
