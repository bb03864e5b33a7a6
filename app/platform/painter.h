// Painter: paints what Dear ImGui drew onto a target that keeps earlier pixels, filling as few pixels as possible. With software
// OpenGL the filled pixels are the cost of a frame. So only what differs from the previous frame is painted; backgrounds of
// panels are cleared (a twentieth of the cost of triangles); and pixels that a panel made itself (PixelTexture) are written
// directly (a sixth).
// thread: main, with the context current.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/platform/frame_difference.h"
#include "app/platform/render_target.h"

namespace dlscope::app {

class Painter {
 public:
  // Call between ImGui::Render and showing the target, which must be bound. Returns how many pixels were painted; 0: the target
  // already shows the frame. The commands of `data` are modified.
  int paint(ImDrawData& data, const RenderTarget& target, const ImVec4& ground);
  // Call when painted pixels were lost: the next frame is painted as a whole.
  void forget() { difference_.forget(); }

 private:
  // An area of one opaque colour below everything else there.
  struct Fill {
    PixelRect area;
    ImVec4 colour;
  };
  // A part of a texture's pixels and its destination, whose y counts from the bottom, as in OpenGL.
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
  ImVector<ImTextureData*> textures_;  // the ones that OpenGL needs for this frame
};

}  // namespace dlscope::app
