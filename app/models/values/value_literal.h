// Values as other languages write them: what is copied can be pasted and read back. Pure; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "app/models/values/sign_bits.h"
#include "core/tensor/dtype.h"
#include "core/tensor/element.h"

namespace dlscope::app {

// python: every float exactly as Python's own tolist() would give it. numpy: for np.array(..., dtype=...). c: floats with
// suffix. csv, text: the shortest number that reads back as the same value of that dtype.
enum class CopyFormat : std::uint8_t { python, numpy, c, csv, text };
[[nodiscard]] const char* copy_format_name(CopyFormat format);

// One lane's value.
[[nodiscard]] std::string value_literal(core::DType dtype, const core::Value& value, CopyFormat format);
// A whole element, lanes included.
[[nodiscard]] std::string element_literal(core::DType dtype, std::span<const std::byte> bytes, std::size_t bit,
                                          CopyFormat format, SignBits signs = {});
// Stands for an element that could not be read.
[[nodiscard]] const char* unreadable_literal(CopyFormat format);

// "np.float32", "ml_dtypes.bfloat16"; "" when NumPy has no type for it, with or without ml_dtypes.
[[nodiscard]] std::string numpy_dtype(core::DType dtype);

}  // namespace dlscope::app
