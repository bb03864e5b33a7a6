// The faces of the interface, loaded into the current ImGui context from what was built in (assets/fonts).
#pragma once

#include <span>
#include <vector>

#include "app/widgets/system_fonts.h"

struct ImFont;

namespace dlscope::app {

// Owned by the ImGui context's atlas. Never null after load_fonts: without built-in fonts all are ImGui's own.
struct Fonts {
  ImFont* ui = nullptr;    // words
  ImFont* bold = nullptr;  // headings
  ImFont* mono = nullptr;  // numbers, addresses, code
};

// Once per context, before its first frame.
[[nodiscard]] Fonts load_fonts();

// What was drawn as boxes with code points since it was asked last: no font that is loaded has it.
[[nodiscard]] std::vector<char32_t> take_missing_code_points(const Fonts& fonts);
// Between frames. Behind all faces; those that cannot be used are left out.
void add_fonts(const Fonts& fonts, std::span<const SystemFont> more);

}  // namespace dlscope::app
