// The shape and the size of a tensor, as a sentence says them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/inventory/record.h"

namespace dlscope::app {

// After a dtype: {3, 4} -> "3 × 4"; {4} -> "4 elements", because "uint16 4" reads as one name.
[[nodiscard]] std::string shape_in_words(std::span<const std::int64_t> shape);

// The size of the values, and how much memory they are where that differs, as it does for a broadcast: "37.3 GiB as values, 4 B in
// memory". "": not known.
[[nodiscard]] std::string size_text(const core::TensorRecord& tensor);
// For a column: "37.3 GiB (4 B)".
[[nodiscard]] std::string brief_size_text(const core::TensorRecord& tensor);

}  // namespace dlscope::app
