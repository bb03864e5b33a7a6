// The text that the last frame has drawn, read back from its triangles: also what is drawn into a picture (map, values), which
// Story::text_of_frame() does not know; and in which colour, and how much of it is cut off. Not within Story::act(): there the
// next frame has already begun.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <imgui_internal.h>

namespace dlscope::tests {

struct DrawnGlyph {
  ImWchar code_point = 0;
  ImVec2 from, to;  // of its pixels
  ImVec4 clip;      // what is beyond was not painted
  ImU32 ink = 0;
  const char* window = "";  // whose draw list it is in

  [[nodiscard]] bool seen() const { return to.x > clip.x && from.x < clip.z && to.y > clip.y && from.y < clip.w; }
};

namespace drawn_text_detail {

struct Corner {
  float u = 0, v = 0;
  friend bool operator==(const Corner&, const Corner&) = default;
};
struct HashOfCorner {
  std::size_t operator()(const Corner& c) const { return std::hash<float>()(c.u) * 31 + std::hash<float>()(c.v); }
};

// The glyphs of all fonts and sizes by the upper left corner of their pixels in the texture.
inline std::unordered_map<Corner, ImWchar, HashOfCorner> glyphs_in_atlas() {
  std::unordered_map<Corner, ImWchar, HashOfCorner> out;
  ImFontAtlasBuilder& builder = *ImGui::GetIO().Fonts->Builder;
  for (int i = 0; i < builder.BakedPool.Size; ++i) {
    for (const ImFontGlyph& glyph : builder.BakedPool[i].Glyphs) {
      if (glyph.Visible) out[{glyph.U0, glyph.V0}] = static_cast<ImWchar>(glyph.Codepoint);
    }
  }
  return out;
}

}  // namespace drawn_text_detail

inline std::vector<DrawnGlyph> drawn_glyphs() {
  REQUIRE(ImGui::GetDrawData() != nullptr);
  const auto known = drawn_text_detail::glyphs_in_atlas();
  std::vector<DrawnGlyph> out;
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    const char* const owner = list->_OwnerName != nullptr ? list->_OwnerName : "";
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const ImDrawIdx* const index = list->IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* const vertex = list->VtxBuffer.Data + command.VtxOffset;
      // A glyph is two triangles over four vertices: 0 1 2, 0 2 3.
      for (unsigned i = 0; i + 6 <= command.ElemCount;) {
        const ImDrawVert &a = vertex[index[i]], &c = vertex[index[i + 2]];
        const bool square = index[i] == index[i + 3] && index[i + 2] == index[i + 4];
        const auto found = square ? known.find({a.uv.x, a.uv.y}) : known.end();
        if (found != known.end())
          out.push_back({found->second, a.pos, c.pos, command.ClipRect, a.col, owner});
        i += found != known.end() ? 6 : 3;
      }
    }
  }
  return out;
}

// What is seen of the text in a part of the window: its lines from top to bottom, a space wherever there is one.
inline std::string drawn_text(ImVec2 from, ImVec2 to) {
  std::vector<DrawnGlyph> inside;
  for (const DrawnGlyph& glyph : drawn_glyphs()) {
    const ImVec2 middle{(glyph.from.x + glyph.to.x) * 0.5F, (glyph.from.y + glyph.to.y) * 0.5F};
    if (glyph.seen() && middle.x >= from.x && middle.x < to.x && middle.y >= from.y && middle.y < to.y) inside.push_back(glyph);
  }
  const auto height = [](const DrawnGlyph& glyph) { return (glyph.from.y + glyph.to.y) * 0.5F; };
  std::ranges::stable_sort(inside, {}, height);
  const float size = ImGui::GetFontSize();
  std::string out;
  for (std::size_t first = 0; first < inside.size();) {
    std::size_t last = first;
    for (float bottom = inside[first].to.y; last < inside.size() && height(inside[last]) < bottom + size * 0.15F; ++last)
      bottom = std::max(bottom, inside[last].to.y);
    std::stable_sort(inside.begin() + static_cast<std::ptrdiff_t>(first), inside.begin() + static_cast<std::ptrdiff_t>(last),
                     [](const DrawnGlyph& a, const DrawnGlyph& b) { return a.from.x < b.from.x; });
    for (std::size_t i = first; i < last; ++i) {
      if (i > first && inside[i].from.x - inside[i - 1].to.x > size * 0.27F) out += ' ';
      char bytes[5] = {};
      ImTextCharToUtf8(bytes, inside[i].code_point);
      out += bytes;
    }
    out += '\n';
    first = last;
  }
  return out;
}

}  // namespace dlscope::tests
