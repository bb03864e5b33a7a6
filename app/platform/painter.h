// Painter: puts what Dear ImGui drew onto a framebuffer that keeps what was painted before, with as little filling as it can.
// Where OpenGL runs in software, pixels are what a frame costs: only what differs from the frame before is painted, and the
// backgrounds of panels are cleared, which costs a twentieth of the same area as triangles.
// thread: main, with the context current.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/platform/frame_difference.h"

namespace dlscope::app {

class Painter {
 public:
  // Between ImGui::Render and showing the framebuffer that is bound. Returns how many pixels were painted; 0: it is the picture
  // that stands. The commands of `data` are used up.
  int paint(ImDrawData& data, int width, int height, const ImVec4& ground);
  // What was painted is lost: the next frame is painted whole.
  void forget() { difference_.forget(); }

 private:
  // One plain opaque colour, below everything else there.
  struct Fill {
    PixelRect area;
    ImVec4 colour;
  };
  void take_backgrounds(ImDrawData& data);

  ImVec4 ground_{-1, -1, -1, -1};
  FrameDifference difference_;
  std::vector<Fill> fills_;
  ImVector<ImDrawCmd> confined_;
};

}  // namespace dlscope::app
