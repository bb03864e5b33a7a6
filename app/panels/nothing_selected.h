// What a panel about one tensor says while none is selected.
#pragma once

#include <string>
#include <string_view>

#include "app/panels/frame_context.h"

namespace dlscope::app {

// will: "The numbers of the selected tensor will be shown here." With tensors to choose from, that sentence would say neither that
// something is to be done nor where.
[[nodiscard]] inline std::string nothing_selected(const FrameContext& context, std::string_view will) {
  return context.has_tensors() ? "Select a tensor, in the table or in the memory map. " + std::string(will) : std::string(will);
}

}  // namespace dlscope::app
