// Decoding, classifying and formatting one element. Supports every numeric dtype of dlpack.h 1.3; an element of any other dtype
// is shown as bits, never guessed. Pure functions; thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/tensor/dtype.h"

namespace dlscope::core {

enum class ValueKind : std::uint8_t { bits, boolean, signed_integer, unsigned_integer, real, complex };

// Classes that views mark. A complex value has the most severe class of its two parts (NaN before infinity before subnormal).
enum class ValueClass : std::uint8_t { normal, zero, subnormal, nan, positive_infinity, negative_infinity };

// One lane of an element. Floats narrower than 64 bits are exact in a double.
struct Value {
  ValueKind kind = ValueKind::bits;
  ValueClass value_class = ValueClass::normal;  // always normal for kind bits
  std::int64_t as_signed = 0;
  std::uint64_t as_unsigned = 0;  // also for kind boolean, where a byte that is neither 0 nor 1 is kept as it is
  double real = 0, imaginary = 0;
  // The raw bits of the lane, lowest first, DType::bits of them. For kind bits and for format_bits().
  std::array<std::byte, 32> raw{};
};

// Decodes lane number `lane` of the element that starts `bit_offset` bits into `bytes` (little-endian; sub-byte elements fill a
// byte from its lowest bit, as dlpack.h says). `bytes` must hold every byte the element touches. An unknown dtype, or one wider
// than 256 bits a lane, gives kind bits.
[[nodiscard]] Value decode_element(DType dtype, std::span<const std::byte> bytes, std::size_t bit_offset, unsigned lane = 0);

// The shortest text that parses to the same value in that dtype: "0.1" for float16 0x2e66, "nan", "inf", "-inf", "1.0+2.0j",
// "True". Floats of 8 bits and fewer are written exactly. kind bits: "0x0f3a". Bools that are neither 0 nor 1: "True (byte 7)".
[[nodiscard]] std::string format_value(DType dtype, const Value& value);

// The raw bits in groups, most significant first: float16 "0 01011 1001100110" (sign, exponent, fraction); integers in nibbles.
[[nodiscard]] std::string format_bits(DType dtype, const Value& value);

}  // namespace dlscope::core
