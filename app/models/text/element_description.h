// One element as an expression in Python, and in C or a debugger. No I/O.
#pragma once

#include <cstdint>
#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// What is said where there is no such expression.
inline constexpr const char* kNoExpression =
    "No Python expression leads to it: its name only says where it was found, as main().x and s<0> do.";

// "x[1, 2]", "x[()]" for a scalar; "": none of the tensor's names is an expression.
[[nodiscard]] std::string python_expression(const core::Snapshot& snapshot, const core::TensorRecord& tensor,
                                            std::uint64_t element);
// "((float *)0x55812e404a80)[1*4 + 2*1]", or with a byte offset where strides are not whole elements; "": C has no such type.
[[nodiscard]] std::string c_expression(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::uint64_t element);

// "stride 16 B (4 elements)", "stride 4 bit".
[[nodiscard]] std::string stride_text(const core::Snapshot& snapshot, const core::TensorRecord& tensor, int axis);

}  // namespace dlscope::app
