// Fonts of the system for characters that the built-in ones lack, found by fontconfig where it is installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlscope::app {

struct SystemFont {
  std::vector<char> bytes;   // the whole file, TrueType or OpenType with outlines
  std::uint32_t number = 0;  // of the face in a collection
  std::string path;
};

// The fewest fonts that have these code points, in the order fontconfig prefers them; what no font has is left out, and all where there
// is no fontconfig. Reads files: not on the UI thread.
[[nodiscard]] std::vector<SystemFont> system_fonts_for(std::vector<char32_t> code_points);

}  // namespace dlscope::app
