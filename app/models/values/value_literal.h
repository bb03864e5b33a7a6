// Values as literals of other languages: what is copied can be pasted and read back. No I/O; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/tensor/dtype.h"
#include "core/tensor/element.h"
#include "core/tensor/sign_bits.h"

namespace dlscope::app {

// python: every float exactly as Python's tolist() gives it. numpy: for np.array(..., dtype=...). c: floats with suffix. csv,
// text: the shortest number that reads back as the same value of the dtype.
enum class CopyFormat : std::uint8_t { python, numpy, c, csv, text };
[[nodiscard]] const char* copy_format_name(CopyFormat format);

// A literal for one lane.
[[nodiscard]] std::string value_literal(core::DType dtype, const core::Value& value, CopyFormat format);
// A literal for a whole element, with all its lanes.
[[nodiscard]] std::string element_literal(core::DType dtype, std::span<const std::byte> bytes, std::size_t bit,
                                          CopyFormat format, core::SignBits signs = {});
// Stands in for an element that could not be read.
[[nodiscard]] const char* unreadable_literal(CopyFormat format);

// "np.float32", "ml_dtypes.bfloat16"; "": NumPy has no such type, even with ml_dtypes.
[[nodiscard]] std::string numpy_dtype(core::DType dtype);

}  // namespace dlscope::app
