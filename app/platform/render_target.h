// RenderTarget: a texture with a framebuffer that keeps its pixels from frame to frame; a window's own buffers are swapped with
// every shown frame.
// thread: main, with the same context current all its life.
#pragma once

#include <cstdint>

namespace dlscope::app {

class RenderTarget {
 public:
  RenderTarget() = default;
  ~RenderTarget();
  RenderTarget(const RenderTarget&) = delete;
  RenderTarget& operator=(const RenderTarget&) = delete;

  // Recreates it, with undefined pixels, when the size changes; true then.
  bool resize(int width, int height);
  [[nodiscard]] bool complete() const;  // OpenGL accepted it
  void bind() const;                    // as the framebuffer for painting and reading
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] std::uint32_t texture() const { return texture_; }
  void show() const;                    // copies it into the window's framebuffer, which stays bound

 private:
  void release();

  int width_ = 0, height_ = 0;
  std::uint32_t texture_ = 0, framebuffer_ = 0;
};

}  // namespace dlscope::app
