// What a conversion asks of a dtype. Pure functions; thread: any.
#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

namespace dlscope::core {

[[nodiscard]] inline DTypeCode code_of(DType dtype) { return static_cast<DTypeCode>(dtype.code); }
[[nodiscard]] inline bool is_integer(DType dtype) {
  return code_of(dtype) == DTypeCode::int_ || code_of(dtype) == DTypeCode::uint;
}
[[nodiscard]] inline bool is_bool(DType dtype) { return code_of(dtype) == DTypeCode::bool_; }
[[nodiscard]] inline bool is_complex(DType dtype) { return code_of(dtype) == DTypeCode::complex; }

// The dtype of one part of a complex number, which is converted as two floats; any other dtype itself.
[[nodiscard]] inline DType part_of(DType dtype) {
  if (!is_complex(dtype)) return dtype;
  return {static_cast<std::uint8_t>(DTypeCode::float_), static_cast<std::uint8_t>(dtype.bits / 2), 1};
}

}  // namespace dlscope::core
