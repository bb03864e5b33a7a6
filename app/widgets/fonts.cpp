#include "app/widgets/fonts.h"

#include <imgui.h>

#include <span>

#include "assets/fonts/embedded_fonts.h"

namespace dlscope::app {
namespace {

// The atlas does not own the bytes: they lie in the program.
ImFontConfig borrowed() {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  return config;
}

ImFont* add(std::span<const unsigned char> bytes, ImFontConfig config) {
  // ImGui takes a mutable pointer but only reads what it does not own.
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()),
                                                    0.0F, &config);
}

// The face with the fallback merged behind it; nullptr when the face was not built in.
ImFont* face(std::span<const unsigned char> bytes) {
  if (bytes.empty()) return nullptr;
  ImFont* font = add(bytes, borrowed());
  if (font != nullptr && !fonts::fallback().empty()) {
    ImFontConfig merge = borrowed();
    merge.MergeMode = true;
    add(fonts::fallback(), merge);
  }
  return font;
}

}  // namespace

Fonts load_fonts() {
  Fonts out;
  out.ui = face(fonts::ui());
  if (out.ui == nullptr) out.ui = face(fonts::fallback());
  if (out.ui == nullptr) out.ui = ImGui::GetIO().Fonts->AddFontDefault();
  out.bold = face(fonts::ui_bold());
  if (out.bold == nullptr) out.bold = out.ui;
  out.mono = face(fonts::mono());
  if (out.mono == nullptr) out.mono = out.ui;
  ImGui::GetIO().FontDefault = out.ui;
  return out;
}

}  // namespace dlscope::app
