// Painter: puts what Dear ImGui drew onto a target that keeps what was painted before, with as little filling as it can.
// Where OpenGL runs in software, pixels are what a frame costs: only what differs from the frame before is painted, the backgrounds of
// panels are cleared, which costs a twentieth of the same area as triangles, and pixels that a panel painted itself (PixelTexture) are
// written into the target, which costs a sixth.
// thread: main, with the context current.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/platform/frame_difference.h"
#include "app/platform/render_target.h"

namespace dlscope::app {

class Painter {
 public:
  // Between ImGui::Render and showing the target, which is bound. Returns how many pixels were painted; 0: it is the picture
  // that stands. The commands of `data` are used up.
  int paint(ImDrawData& data, const RenderTarget& target, const ImVec4& ground);
  // What was painted is lost: the next frame is painted whole.
  void forget() { difference_.forget(); }

 private:
  // One plain opaque colour, below everything else there.
  struct Fill {
    PixelRect area;
    ImVec4 colour;
  };
  // A part of a texture's pixels, and where it goes: from the bottom, as OpenGL counts.
  struct PixelPiece {
    const ImTextureData* texture = nullptr;
    int texture_x = 0, texture_y = 0, x = 0, y = 0, width = 0, height = 0;
    std::uint32_t target = 0;
  };
  void take_backgrounds(ImDrawData& data);
  void take_pixels(ImDrawData& data, const RenderTarget& target);
  static void write_pixels(const ImDrawList*, const ImDrawCmd* command);

  ImVec4 ground_{-1, -1, -1, -1};
  FrameDifference difference_;
  std::vector<Fill> fills_;
  ImVector<ImDrawCmd> confined_;
  std::vector<PixelPiece> pieces_;
  ImVector<ImTextureData*> textures_;  // those that OpenGL needs for this frame
};

}  // namespace dlscope::app
