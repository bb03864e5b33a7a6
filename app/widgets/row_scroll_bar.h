// A scroll bar over 64-bit row numbers: ImGui's own uses floats and would skip rows of long tables.
#pragma once

#include <imgui.h>

#include <cstdint>

namespace dlscope::app {

// At the right side, from `from` on, `height` pixels. first: the first visible row; last: its greatest value.
void row_scroll_bar(const char* id, ImVec2 from, float height, std::uint64_t& first, std::uint64_t last);

}  // namespace dlscope::app
