// PixelTexture: opaque pixels that a panel paints itself, drawn one to one. Dear ImGui's list of textures carries them to whatever back
// end draws the frame; off screen and without one they are only memory. Painter writes them straight into the frame where it can, which
// takes a sixth of the time of drawing them as a texture in software; for that their rows lie bottom up, as OpenGL's frames do.
// thread: UI, with a Dear ImGui context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imgui.h>

namespace dlscope::app {

// The numbers of these textures begin here. A texture gets a new number with every change of its pixels, so that Painter sees that a
// frame differs from the one before.
inline constexpr int kFirstPixelTexture = 1 << 24;

class PixelTexture {
 public:
  PixelTexture() = default;
  ~PixelTexture();
  PixelTexture(const PixelTexture&) = delete;
  PixelTexture& operator=(const PixelTexture&) = delete;

  // Room for so many pixels, each 0xAABBGGRR, from the upper left one on; what was there before may be lost. Then changed().
  [[nodiscard]] std::uint32_t* begin(int width, int height);
  [[nodiscard]] std::ptrdiff_t pitch() const;  // pixels from one row to the next one below it; negative
  void changed();
  // `at` is a whole pixel.
  void draw(ImDrawList* list, ImVec2 at);
  [[nodiscard]] std::uint32_t pixel(int x, int y) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  void let_go();
  void drop_destroyed();

  std::unique_ptr<ImTextureData> texture_;
  std::vector<std::unique_ptr<ImTextureData>> leaving_;  // the back end still has them
  int number_ = kFirstPixelTexture;
  int width_ = 0, height_ = 0;  // that are used
};

}  // namespace dlscope::app
