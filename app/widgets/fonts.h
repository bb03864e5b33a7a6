// The fonts of the interface, loaded into the current ImGui context from the built-in ones (assets/fonts).
#pragma once

#include <span>
#include <vector>

#include "app/widgets/system_fonts.h"

struct ImFont;

namespace dlscope::app {

// Owned by the ImGui context's atlas. Not null after load_fonts(): without built-in fonts all are ImGui's default.
struct Fonts {
  ImFont* ui = nullptr;    // words
  ImFont* bold = nullptr;  // headings
  ImFont* mono = nullptr;  // numbers, addresses, code
};

// Call once per context, before its first frame.
[[nodiscard]] Fonts load_fonts();

// The characters that were drawn as boxes since the last call: no loaded font has them.
[[nodiscard]] std::vector<char32_t> take_missing_code_points(const Fonts& fonts);
// Call between frames. Adds fonts after all others; unusable ones are skipped.
void add_fonts(const Fonts& fonts, std::span<const SystemFont> more);

}  // namespace dlscope::app
