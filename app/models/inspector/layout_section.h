// The section of the inspector on how the elements lie in memory: the verdict with its reason, what an element takes, the address
// formula of the last one.
#pragma once

#include "app/models/inspector/inspector_model.h"

namespace dlscope::app {

[[nodiscard]] Section layout_section(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
