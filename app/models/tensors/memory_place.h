// Whether a tensor's addresses are a place in memory that may be compared, drawn and looked up. thread: any.
#pragma once

#include "core/inventory/record.h"

namespace dlscope::app {

// False where it has no bytes, where its pointer is no address, and where what was described is a copy made for the asker: that
// is freed by now, and other memory, such as the next copy, may be at its addresses.
[[nodiscard]] inline bool has_place(const core::TensorRecord& tensor) {
  return tensor.has_layout && tensor.space != core::kNoSpace && !tensor.extent.empty() && !core::is_copy_for_export(tensor);
}

}  // namespace dlscope::app
