// The inspector's section on what a tensor file says of itself.
#pragma once

#include "app/models/inspector/inspector_model.h"
#include "core/files/safetensors_header.h"

namespace dlscope::app {

// Without fields: it says nothing.
[[nodiscard]] Section file_section(const core::FileMetadata& metadata);

}  // namespace dlscope::app
