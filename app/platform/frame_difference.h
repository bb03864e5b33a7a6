// FrameDifference: finds the part of a frame that differs from the previous one. Compares draw lists, which Dear ImGui makes one
// per window: a list with any difference counts with all the pixels it covers.
#pragma once

#include <cstdint>
#include <vector>

#include <imgui.h>

namespace dlscope::app {

// In whole pixels, from the upper left corner of the picture; x1 and y1 are exclusive.
struct PixelRect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] bool empty() const { return x1 <= x0 || y1 <= y0; }
  friend bool operator==(const PixelRect&, const PixelRect&) = default;
};

[[nodiscard]] PixelRect common(const PixelRect& a, const PixelRect& b);
// The pixels that the OpenGL backend lets a command touch, in a picture of that height.
[[nodiscard]] PixelRect pixels_of(const ImDrawCmd& command, const ImDrawData& data, int height);

class FrameDifference {
 public:
  // Returns disjoint rectangles outside of which the frame equals that of the previous call; none: the frames are equal; the
  // whole picture: nothing finer is known. The next call compares with this frame. Valid until the next call.
  const std::vector<PixelRect>& update(const ImDrawData& data, int width, int height);
  // The next frame counts as different everywhere.
  void forget() { lists_.clear(); }

 private:
  struct Piece {
    ImVec4 clip;
    std::uint64_t texture = 0;
    unsigned elements = 0, first_index = 0, first_vertex = 0;
  };
  struct List {
    const char* owner = nullptr;  // compared, never dereferenced
    std::vector<Piece> pieces;
    std::vector<ImDrawVert> vertices;
    std::vector<ImDrawIdx> indices;
    PixelRect covers;
  };
  bool update(List& kept, const ImDrawList& now);  // true: equal
  void add(PixelRect rect);

  int width_ = 0, height_ = 0;
  std::vector<List> lists_;
  std::vector<Piece> pieces_now_;
  std::vector<PixelRect> differ_;
};

}  // namespace dlscope::app
