// The struct card: the exported struct field by field, under DLPack's names, with plain words.
#pragma once

#include "app/models/inspector_model.h"

namespace dlscope::app {

// No fields when no protocol answered.
[[nodiscard]] Section struct_card(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

}  // namespace dlscope::app
