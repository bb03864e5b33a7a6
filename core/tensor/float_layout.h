// FloatLayout: the bit fields of a binary float, from the most
// significant bit: sign (none in float8_e8m0fnu), exponent, fraction.
#pragma once

#include <optional>

#include "core/tensor/dtype.h"

namespace dlscope::core {

struct FloatLayout {
  unsigned exponent_bits = 0, fraction_bits = 0;
  int bias = 0;
  bool has_sign = true;
  // All exponent bits set means infinity (fraction 0) or NaN; a NaN is quiet when its topmost fraction bit is set.
  bool is_ieee = false;
};
// The layout of a float dtype, or of each part of a complex one; nullopt for any other or unknown dtype. Defined in element.cpp.
[[nodiscard]] std::optional<FloatLayout> float_layout(DType dtype);

}  // namespace dlscope::core
