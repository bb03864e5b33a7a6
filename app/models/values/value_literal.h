// Values as literals of other languages: what is copied can be pasted and read back. No I/O; thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/inventory/tensor_numbers.h"
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
// A literal for a whole element, with all its lanes. bytes: as they lie in memory.
[[nodiscard]] std::string element_literal(const core::TensorNumbers& numbers, std::span<const std::byte> bytes, std::size_t bit,
                                          CopyFormat format, core::SignBits signs = {});
// For an element that is no number, as the window shows it: a string of this text. A text that is a literal of Python already
// ('abc', b'abc') stays that there.
[[nodiscard]] std::string quoted_literal(const std::string& shown, CopyFormat format);
// Stands in for an element that could not be read.
[[nodiscard]] const char* unreadable_literal(CopyFormat format);

// "np.float32", "ml_dtypes.bfloat16"; "": NumPy has no such type, even with ml_dtypes.
[[nodiscard]] std::string numpy_dtype(core::DType dtype);

}  // namespace dlscope::app
