#include "app/widgets/fonts.h"

#include <imgui.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "app/widgets/code_point_boxes.h"
#include "assets/fonts/embedded_fonts.h"

namespace dlscope::app {
namespace {

// The atlas does not own the bytes: they are part of the program.
ImFontConfig borrowed() {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  return config;
}

ImFont* add(std::span<const unsigned char> bytes, ImFontConfig config) {
  // ImGui takes a mutable pointer but does not write to memory it does not own.
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()),
                                                    0.0F, &config);
}

// The face with the fallback font merged after it; nullptr: the face is not built in.
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

// Calls each(face) once per distinct face: faces that are not built in are the same.
template <class Each>
void for_each_face(const Fonts& fonts, Each each) {
  each(fonts.ui);
  if (fonts.bold != fonts.ui) each(fonts.bold);
  if (fonts.mono != fonts.ui) each(fonts.mono);
}

// The atlas owns the bytes as soon as the first face takes them; if they are no valid font, it has freed them.
void merge(const Fonts& into, const SystemFont& font) {
  void* const bytes = IM_ALLOC(font.bytes.size());
  std::memcpy(bytes, font.bytes.data(), font.bytes.size());
  bool owned = false, freed = false;
  for_each_face(into, [&](ImFont* face) {
    if (freed) return;
    ImFontConfig config;
    config.MergeMode = true;
    config.DstFont = face;
    config.FontNo = font.number;
    config.FontDataOwnedByAtlas = !owned;
    const bool added =
        ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes, static_cast<int>(font.bytes.size()), 0.0F, &config) != nullptr;
    freed = !added && !owned;
    owned = owned || added;
  });
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
  for_each_face(out, add_code_point_boxes);
  ImGui::GetIO().FontDefault = out.ui;
  return out;
}

std::vector<char32_t> take_missing_code_points(const Fonts& fonts) {
  std::vector<char32_t> out;
  for_each_face(fonts, [&](const ImFont* each) {
    const std::vector<ImWchar> missing = take_missing_code_points(each);
    out.insert(out.end(), missing.begin(), missing.end());
  });
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

void add_fonts(const Fonts& fonts, std::span<const SystemFont> more) {
  for (const SystemFont& font : more) merge(fonts, font);
  for_each_face(fonts, add_code_point_boxes);
}

}  // namespace dlscope::app
