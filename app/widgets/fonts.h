// The faces of the interface, loaded into the current ImGui context from what was built in (assets/fonts).
#pragma once

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

}  // namespace dlscope::app
