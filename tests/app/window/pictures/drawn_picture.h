// A picture of the whole window as a story's last frame has drawn it: its triangles, painted here, because the null back end
// paints nothing. Written as a PNG file into the build folder (pictures/), to be looked at. Not within Story::act().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <imgui.h>

#include "app/platform/png_file.h"

namespace dlscope::tests {

namespace drawn_picture_detail {

struct Canvas {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;

  void blend(int x, int y, const float (&ink)[4]) {
    std::uint8_t* const at = rgba.data() + (std::ptrdiff_t{y} * width + x) * 4;
    for (int i = 0; i < 3; ++i)
      at[i] = static_cast<std::uint8_t>(std::lround(ink[i] * ink[3] + static_cast<float>(at[i]) * (1 - ink[3])));
  }
};

inline float channel(ImU32 colour, int i) { return static_cast<float>(colour >> (8 * i) & 0xFF); }

// A texel as 0 to 1 per channel, RGBA. The nearest one: text and pictures lie on whole pixels.
inline void texel(const ImTextureData& texture, float u, float v, float (&out)[4]) {
  const int x = std::clamp(static_cast<int>(u * static_cast<float>(texture.Width)), 0, texture.Width - 1);
  const int y = std::clamp(static_cast<int>(v * static_cast<float>(texture.Height)), 0, texture.Height - 1);
  const auto* const at = texture.Pixels + (std::ptrdiff_t{y} * texture.Width + x) * texture.BytesPerPixel;
  const bool has_colours = texture.BytesPerPixel == 4;
  for (int i = 0; i < 4; ++i)
    out[i] = has_colours ? static_cast<float>(at[i]) / 255 : i < 3 ? 1.0F : static_cast<float>(*at) / 255;
}

// On which side of the line from a to b the point lies; the whole area for a corner of a triangle.
inline float side(const ImVec2& a, const ImVec2& b, const ImVec2& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}
// Of two triangles with a common edge one owns the pixels on it.
inline bool owns(const ImVec2& a, const ImVec2& b) { return a.y == b.y ? b.x > a.x : b.y < a.y; }

inline void paint(Canvas& canvas, const ImDrawVert& a, ImDrawVert b, ImDrawVert c, const ImVec4& clip,
                  const ImTextureData& texture) {
  if (side(a.pos, b.pos, c.pos) < 0) std::swap(b, c);
  const float area = side(a.pos, b.pos, c.pos);
  if (area == 0) return;
  const auto from = [](float x, float y, float z, float edge) {
    return std::max(static_cast<int>(std::max(std::min({x, y, z}), edge)), 0);
  };
  const auto to = [](float x, float y, float z, float edge, int size) {
    return std::min(static_cast<int>(std::ceil(std::min(std::max({x, y, z}), edge))), size);
  };
  const int left = from(a.pos.x, b.pos.x, c.pos.x, clip.x), right = to(a.pos.x, b.pos.x, c.pos.x, clip.z, canvas.width);
  const int top = from(a.pos.y, b.pos.y, c.pos.y, clip.y), bottom = to(a.pos.y, b.pos.y, c.pos.y, clip.w, canvas.height);
  const bool own_a = owns(b.pos, c.pos), own_b = owns(c.pos, a.pos), own_c = owns(a.pos, b.pos);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      const ImVec2 p{static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F};
      const float at_a = side(b.pos, c.pos, p), at_b = side(c.pos, a.pos, p), at_c = side(a.pos, b.pos, p);
      if (at_a < 0 || at_b < 0 || at_c < 0 || (at_a == 0 && !own_a) || (at_b == 0 && !own_b) || (at_c == 0 && !own_c)) continue;
      const auto mixed = [&](float of_a, float of_b, float of_c) { return (of_a * at_a + of_b * at_b + of_c * at_c) / area; };
      float ink[4];
      texel(texture, mixed(a.uv.x, b.uv.x, c.uv.x), mixed(a.uv.y, b.uv.y, c.uv.y), ink);
      for (int i = 0; i < 4; ++i) {
        const float colour = mixed(channel(a.col, i), channel(b.col, i), channel(c.col, i));
        ink[i] *= i < 3 ? colour : colour / 255;
      }
      canvas.blend(x, y, ink);
    }
  }
}

}  // namespace drawn_picture_detail

inline app::Picture drawn_picture() {
  using namespace drawn_picture_detail;
  const ImDrawData* const data = ImGui::GetDrawData();
  REQUIRE(data != nullptr);
  Canvas canvas{static_cast<int>(data->DisplaySize.x), static_cast<int>(data->DisplaySize.y), {}};
  canvas.rgba.assign(static_cast<std::size_t>(std::ptrdiff_t{canvas.width} * canvas.height) * 4, 255);
  for (const ImDrawList* list : data->CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const ImTextureData* const texture = command.TexRef._TexData;
      REQUIRE((texture != nullptr && texture->Pixels != nullptr));
      const ImDrawIdx* const index = list->IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* const vertex = list->VtxBuffer.Data + command.VtxOffset;
      for (unsigned i = 0; i + 3 <= command.ElemCount; i += 3)
        paint(canvas, vertex[index[i]], vertex[index[i + 1]], vertex[index[i + 2]], command.ClipRect, *texture);
    }
  }
  app::Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  picture.rgba.resize(canvas.rgba.size());
  std::ranges::transform(canvas.rgba, picture.rgba.begin(), [](std::uint8_t channel) { return static_cast<std::byte>(channel); });
  return picture;
}

inline void save_drawn_picture(const std::string& name) {
  const char* const build = std::getenv("DLSCOPE_BUILD_DIR");
  const std::filesystem::path folder =
      (build != nullptr ? std::filesystem::path(build) : std::filesystem::temp_directory_path()) / "pictures";
  std::filesystem::create_directories(folder);
  CHECK(app::write_png(drawn_picture(), (folder / (name + ".png")).string()).has_value());
}

}  // namespace dlscope::tests
