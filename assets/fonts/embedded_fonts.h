// The fonts found on the build machine (cmake/fonts.cmake), built into the program. A font that was not found is empty: the
// program then draws with Dear ImGui's own. Link dlscope_fonts.
#pragma once

#include <span>

namespace dlscope::fonts {

// Whole TrueType/OpenType files; static storage.
std::span<const unsigned char> ui();        // Inter Regular: text; has no box, triangle or arrow glyphs
std::span<const unsigned char> ui_bold();   // Inter SemiBold: headings
std::span<const unsigned char> mono();      // JetBrains Mono Regular: code, addresses, tables
std::span<const unsigned char> fallback();  // DejaVu Sans: to be merged behind the others

}  // namespace dlscope::fonts
