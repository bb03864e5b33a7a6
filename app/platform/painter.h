// Painter: puts what Dear ImGui drew onto the framebuffer that is bound, with as little filling as it can. Where OpenGL runs
// in software, pixels are what a frame costs: a frame equal to the one before is not painted at all, and the backgrounds of
// panels are cleared, which costs a twentieth of the same area as triangles.
// thread: main, with the context current.
#pragma once

#include <cstdint>
#include <vector>

#include <imgui.h>

namespace dlscope::app {

class Painter {
 public:
  // Between ImGui::Render and showing the framebuffer. False: it is the picture painted last, and was left alone.
  bool paint(ImDrawData& data, int width, int height, const ImVec4& ground);
  // What was painted is lost, or wanted once more: the next frame is painted whatever it holds.
  void forget() { width_ = height_ = 0; }

 private:
  struct Piece {
    ImVec4 clip;
    std::uint64_t texture = 0;
    unsigned elements = 0, first_index = 0, first_vertex = 0;
    friend bool operator==(const Piece& a, const Piece& b) {
      return a.clip.x == b.clip.x && a.clip.y == b.clip.y && a.clip.z == b.clip.z && a.clip.w == b.clip.w &&
             a.texture == b.texture && a.elements == b.elements && a.first_index == b.first_index &&
             a.first_vertex == b.first_vertex;
    }
  };
  // Takes the frame into the members below. True when it is the one they held.
  bool same_again(const ImDrawData& data, int width, int height, const ImVec4& ground);

  int width_ = 0, height_ = 0;
  ImVec4 ground_;
  std::vector<Piece> pieces_, pieces_now_;
  std::vector<ImDrawVert> vertices_;
  std::vector<ImDrawIdx> indices_;
};

}  // namespace dlscope::app
