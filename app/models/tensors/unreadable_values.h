// Why the values of a tensor cannot be shown: what is known of it before anything is read.
#pragma once

#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// As a sentence; "": they can be read.
[[nodiscard]] std::string why_no_values(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
