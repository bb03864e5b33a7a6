// One element as an expression in Python, and in C or a debugger. No I/O.
#pragma once

#include <cstdint>
#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// "x[1, 2]", "x[()]" for a scalar.
[[nodiscard]] std::string python_expression(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                            std::uint64_t element);
// "((float *)0x55812e404a80)[1*4 + 2*1]", or with a byte offset where strides are not whole elements; "": C has no such type.
[[nodiscard]] std::string c_expression(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t element);

// "stride 16 B (4 elements)", "stride 4 bit".
[[nodiscard]] std::string stride_text(const core::Snapshot& snapshot, const core::TensorRecord& tensor, int axis);

}  // namespace dlscope::app
