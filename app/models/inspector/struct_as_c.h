// The described struct as C source, to paste into a test or a bug report.
#pragma once

#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// "" when the tensor was not described through DLPack.
[[nodiscard]] std::string struct_as_c(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
