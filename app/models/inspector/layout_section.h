// The inspector's section on the memory layout: the verdict with its reason, the size of an element, the address formula of the
// last element.
#pragma once

#include "app/models/inspector/inspector_model.h"

namespace dlscope::app {

[[nodiscard]] Section layout_section(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
