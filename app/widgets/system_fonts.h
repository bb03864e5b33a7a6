// Finds system fonts for characters that the built-in ones lack, with fontconfig where it is installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlscope::app {

struct SystemFont {
  std::vector<char> bytes;   // the whole file: TrueType, or OpenType with outlines
  std::uint32_t number = 0;  // of the face within a collection
  std::string path;
};

// As few fonts as possible that have these characters, in fontconfig's order of preference. Characters that no font has are
// skipped; without fontconfig the result is empty. Reads files: not on the UI thread.
[[nodiscard]] std::vector<SystemFont> system_fonts_for(std::vector<char32_t> code_points);

}  // namespace dlscope::app
