// A scroll bar over rows counted in 64 bits: ImGui's own is a float and skips rows of long tables.
#pragma once

#include <imgui.h>

#include <cstdint>

namespace dlscope::app {

// Down the right side: from `from` on, `height` long. first: the row that is seen first; last: the last one that may be.
void row_scroll_bar(const char* id, ImVec2 from, float height, std::uint64_t& first, std::uint64_t last);

}  // namespace dlscope::app
