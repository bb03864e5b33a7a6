// PixelTexture: opaque pixels that a panel makes itself, drawn 1:1. They are in Dear ImGui's list of textures, so any back end
// can draw them; without a back end they are only memory. Painter writes them directly into the frame where possible, which with
// software OpenGL takes a sixth of the time of drawing a texture. For that, rows are stored bottom up, as in OpenGL's
// framebuffers.
// thread: UI, with a Dear ImGui context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imgui.h>

namespace dlscope::app {

// Numbers of these textures begin here. A texture gets a new number whenever its pixels change, which tells Painter that the
// frame differs.
inline constexpr int kFirstPixelTexture = 1 << 24;

class PixelTexture {
 public:
  PixelTexture() = default;
  ~PixelTexture();
  PixelTexture(const PixelTexture&) = delete;
  PixelTexture& operator=(const PixelTexture&) = delete;

  // Room for so many pixels, each 0xAABBGGRR, from the upper left one on; earlier content may be lost. Call changed() afterwards.
  [[nodiscard]] std::uint32_t* begin(int width, int height);
  [[nodiscard]] std::ptrdiff_t pitch() const;  // pixels from one row to the next lower one; negative
  void changed();
  // at: in whole pixels.
  void draw(ImDrawList* list, ImVec2 at);
  [[nodiscard]] std::uint32_t pixel(int x, int y) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  void release();
  void drop_destroyed();

  std::unique_ptr<ImTextureData> texture_;
  std::vector<std::unique_ptr<ImTextureData>> leaving_;  // the back end still uses them
  int number_ = kFirstPixelTexture;
  int width_ = 0, height_ = 0;  // the used part
};

}  // namespace dlscope::app
