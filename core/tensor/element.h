// One element: its bits decoded to a value, the value classified and written out. Every numeric dtype of dlpack.h 1.3;
// anything else is shown as bits, never guessed. Pure; thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/tensor/dtype.h"

namespace dlscope::core {

enum class ValueKind : std::uint8_t { bits, boolean, signed_integer, unsigned_integer, real, complex };

// What a viewer marks. A complex value takes the most alarming class of its two parts (NaN before infinity before subnormal).
enum class ValueClass : std::uint8_t { normal, zero, subnormal, nan, positive_infinity, negative_infinity };

// One lane of an element. Floats narrower than 64 bits are exact in a double.
struct Value {
  ValueKind kind = ValueKind::bits;
  ValueClass value_class = ValueClass::normal;  // always normal for kind bits
  std::int64_t as_signed = 0;
  std::uint64_t as_unsigned = 0;  // boolean too: a byte that is neither 0 nor 1 is kept as it is
  double real = 0, imaginary = 0;
  // The raw bits, lowest first; item bits wide. For kind bits and for showing any value's bits.
  std::array<std::byte, 32> raw{};
};

// Decodes lane `lane` of the element that starts `bit_offset` bits into `bytes` (host byte order, little endian;
// sub-byte elements fill a byte from its lowest bit, as dlpack.h says). The caller gives all bytes the element touches.
// A dtype that is not known, or wider than 256 bits a lane, gives kind bits.
[[nodiscard]] Value decode_element(DType dtype, std::span<const std::byte> bytes, std::size_t bit_offset, unsigned lane = 0);

// Shortest text that reads back as the same value in that dtype: "0.1" for float16 0x2e66, "nan", "inf", "-inf", "1.0+2.0j",
// "True"; floats of 8 bits and fewer exactly. kind bits: "0x0f3a". Bools that are neither 0 nor 1: "True (byte 7)".
[[nodiscard]] std::string format_value(DType dtype, const Value& value);

// The raw bits as groups, most significant first: float16 "0 01011 1001100110" (sign, exponent, fraction), integers in nibbles.
[[nodiscard]] std::string format_bits(DType dtype, const Value& value);

}  // namespace dlscope::core
