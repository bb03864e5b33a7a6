// NarrowFloat: how numbers are written in the binary float types of at most 16 bits. The values of their bit patterns are
// decode_element()'s (core/tensor/element.h).
// Pure functions; thread: any.
#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

namespace dlscope::core {

// What becomes of a number that is too large.
enum class Overflow : std::uint8_t { infinity, nan, largest };

struct NarrowFloat {
  DTypeCode code;
  unsigned bits, mantissa_bits;
  int bias;
  std::uint32_t largest;  // bit pattern of the largest finite number; that of infinity follows it
  std::uint32_t nan;      // bit pattern of NaN; 0: the type has none
  Overflow overflow;
  bool has_negative_zero = true;
};

// nullptr: not such a type.
[[nodiscard]] const NarrowFloat* narrow_float(DType dtype);

}  // namespace dlscope::core
