// FrameDifference: which part of a frame is not on the picture already. Compared list by list, as Dear ImGui makes one for every
// window: a list that differs in a single letter counts with all it covers.
#pragma once

#include <cstdint>
#include <vector>

#include <imgui.h>

namespace dlscope::app {

// Whole pixels, from the upper left corner of the picture; x1 and y1 are the first outside.
struct PixelRect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] bool empty() const { return x1 <= x0 || y1 <= y0; }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

[[nodiscard]] PixelRect common(const PixelRect& a, const PixelRect& b);
// What the OpenGL backend lets a command touch, in a picture of that height.
[[nodiscard]] PixelRect pixels_of(const ImDrawCmd& command, const ImDrawData& data, int height);

class FrameDifference {
 public:
  // Rectangles that do not overlap and outside of which the frame equals the one of the call before; none: it is the same. The whole
  // picture where nothing finer can be said. From now on this frame is the one to compare with. Valid until the next call.
  const std::vector<PixelRect>& update(const ImDrawData& data, int width, int height);
  // The next frame differs everywhere.
  void forget() { lists_.clear(); }

 private:
  struct Piece {
    ImVec4 clip;
    std::uint64_t texture = 0;
    unsigned elements = 0, first_index = 0, first_vertex = 0;
  };
  struct List {
    const char* owner = nullptr;  // compared, never read
    std::vector<Piece> pieces;
    std::vector<ImDrawVert> vertices;
    std::vector<ImDrawIdx> indices;
    PixelRect covers;
  };
  bool update(List& kept, const ImDrawList& now);  // true: it is the same
  void add(PixelRect rect);

  int width_ = 0, height_ = 0;
  std::vector<List> lists_;
  std::vector<Piece> pieces_now_;
  std::vector<PixelRect> differ_;
};

}  // namespace dlscope::app
