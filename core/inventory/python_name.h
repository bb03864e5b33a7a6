// Names of tensors as Python code. A scan calls a tensor what a person would type to get it, where that is possible. The other
// names only say where it was found: `main().x` (a local of another function), `f()#2.x`, `s<0>[1]`, `d[<Point 0>]`.
// thread: any.
#pragma once

#include <string_view>

#include "core/inventory/snapshot.h"

namespace dlscope::core {

// Whether the name is an expression that leads to the tensor, and calls no function of the user's.
[[nodiscard]] bool is_python_expression(std::string_view name);

// The first of the tensor's names that is one; "": none is.
[[nodiscard]] std::string_view expression_name(const Snapshot& snapshot, const TensorRecord& tensor);

}  // namespace dlscope::core
