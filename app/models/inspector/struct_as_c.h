// The described struct as C source, to be pasted into a test or an issue.
#pragma once

#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// "" for a tensor that was not described through DLPack.
[[nodiscard]] std::string struct_as_c(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
