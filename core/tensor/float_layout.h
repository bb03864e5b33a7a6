// FloatLayout: how the bits of a binary float are shared out: from the top a sign (but for float8_e8m0fnu), the exponent, the fraction.
#pragma once

#include <optional>

#include "core/tensor/dtype.h"

namespace dlscope::core {

struct FloatLayout {
  unsigned exponent_bits = 0, fraction_bits = 0;
  int bias = 0;
  bool has_sign = true;
  bool is_ieee =
      false;  // all exponent bits set: infinity, or with a fraction NaN, whose topmost fraction bit says that it is quiet
};
// Of a float, or of either part of a complex number; nullopt: it is neither, or not known. Defined beside the decoder (element.cpp).
[[nodiscard]] std::optional<FloatLayout> float_layout(DType dtype);

}  // namespace dlscope::core
