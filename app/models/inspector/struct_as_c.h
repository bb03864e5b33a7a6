// The described struct as C source, to paste into a test or a bug report.
#pragma once

#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// "" when the tensor was not described through DLPack.
[[nodiscard]] std::string struct_as_c(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

// IS_COPIED of the struct. A producer that hands over two places when it is asked twice makes copies, whatever its struct says: of
// such a tensor `is_copied` is yes, and its note does not name the flag (embed/objects/describer.cpp).
[[nodiscard]] core::Tri struct_says_copied(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
