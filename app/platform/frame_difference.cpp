#include "app/platform/frame_difference.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

namespace dlscope::app {
namespace {

// Above this part of the picture, painting in pieces saves nothing.
constexpr double kMaxInPieces = 0.75;

// Replaces the content of `kept`; true when it was equal. Compares bytes, because Item has no padding.
template <class Item>
bool replace(std::vector<Item>& kept, const Item* now, std::size_t count) {
  const std::size_t bytes = count * sizeof(Item);
  if (kept.size() == count && (bytes == 0 || std::memcmp(kept.data(), now, bytes) == 0)) return true;
  kept.assign(now, now + count);
  return false;
}

// Dear ImGui's own textures get their OpenGL name when first painted, so compare their own id.
std::uint64_t texture_of(const ImDrawCmd& command) {
  if (command.TexRef._TexData != nullptr) return static_cast<std::uint64_t>(command.TexRef._TexData->UniqueID);
  return static_cast<std::uint64_t>(command.TexRef._TexID);
}

PixelRect around(const PixelRect& a, const PixelRect& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

double area(const PixelRect& r) { return static_cast<double>(r.x1 - r.x0) * (r.y1 - r.y0); }

// The pixels a command's triangles can touch. The clip rectangle alone is too large: a tooltip's background has the whole
// window's.
PixelRect pixels_touched(const ImDrawList& list, const ImDrawCmd& command, const ImDrawData& data, int height) {
  ImVec2 from(FLT_MAX, FLT_MAX), to(-FLT_MAX, -FLT_MAX);
  const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
  for (unsigned i = command.IdxOffset; i < command.IdxOffset + command.ElemCount; ++i) {
    const ImVec2 at = vertices[list.IdxBuffer.Data[i]].pos;
    from = {std::min(from.x, at.x), std::min(from.y, at.y)};
    to = {std::max(to.x, at.x), std::max(to.y, at.y)};
  }
  if (from.x > to.x) return {};
  const auto pixel = [](float at, float origin, float scale, float far) {
    return static_cast<int>(std::clamp((at - origin) * scale, -far, far));
  };
  const float far = 1 << 20;
  const ImVec2 origin = data.DisplayPos, scale = data.FramebufferScale;
  const PixelRect box{pixel(std::floor(from.x), origin.x, scale.x, far) - 1,
                      pixel(std::floor(from.y), origin.y, scale.y, far) - 1, pixel(std::ceil(to.x), origin.x, scale.x, far) + 1,
                      pixel(std::ceil(to.y), origin.y, scale.y, far) + 1};
  return common(box, pixels_of(command, data, height));
}

bool calls_back(const ImDrawData& data) {
  for (const ImDrawList* list : data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      if (command.UserCallback != nullptr) return true;  // unknown what it draws
    }
  }
  return false;
}

}  // namespace

PixelRect common(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

// The same arithmetic as ImGui_ImplOpenGL3_RenderDrawData, whose lines count from the bottom.
PixelRect pixels_of(const ImDrawCmd& command, const ImDrawData& data, int height) {
  const ImVec2 scale = data.FramebufferScale;
  const ImVec2 from((command.ClipRect.x - data.DisplayPos.x) * scale.x, (command.ClipRect.y - data.DisplayPos.y) * scale.y);
  const ImVec2 to((command.ClipRect.z - data.DisplayPos.x) * scale.x, (command.ClipRect.w - data.DisplayPos.y) * scale.y);
  if (to.x <= from.x || to.y <= from.y) return {};
  const int left = static_cast<int>(from.x), bottom = static_cast<int>(static_cast<float>(height) - to.y);
  const int wide = static_cast<int>(to.x - from.x), high = static_cast<int>(to.y - from.y);
  return {left, height - bottom - high, left + wide, height - bottom};
}

bool FrameDifference::update(List& kept, const ImDrawList& now) {
  pieces_now_.clear();
  for (const ImDrawCmd& c : now.CmdBuffer)
    pieces_now_.push_back({c.ClipRect, texture_of(c), c.ElemCount, c.IdxOffset, c.VtxOffset});
  const auto same_piece = [](const Piece& a, const Piece& b) {
    return std::memcmp(&a.clip, &b.clip, sizeof a.clip) == 0 && a.texture == b.texture && a.elements == b.elements &&
           a.first_index == b.first_index && a.first_vertex == b.first_vertex;
  };
  bool same = kept.owner == now._OwnerName && std::ranges::equal(kept.pieces, pieces_now_, same_piece);
  kept.owner = now._OwnerName;
  std::swap(kept.pieces, pieces_now_);
  same = replace(kept.vertices, now.VtxBuffer.Data, static_cast<std::size_t>(now.VtxBuffer.Size)) && same;
  return replace(kept.indices, now.IdxBuffer.Data, static_cast<std::size_t>(now.IdxBuffer.Size)) && same;
}

// Replaces overlapping rectangles by one around both.
void FrameDifference::add(PixelRect rect) {
  if (rect.empty()) return;
  for (std::size_t i = 0; i < differ_.size();) {
    if (common(differ_[i], rect).empty()) {
      ++i;
      continue;
    }
    rect = around(differ_[i], rect);
    differ_.erase(differ_.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  differ_.push_back(rect);
}

const std::vector<PixelRect>& FrameDifference::update(const ImDrawData& data, int width, int height) {
  const PixelRect picture{0, 0, width, height};
  const auto count = static_cast<std::size_t>(data.CmdLists.Size);
  bool everywhere = width != width_ || height != height_ || count != lists_.size() || calls_back(data);
  width_ = width;
  height_ = height;
  lists_.resize(count);
  differ_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const ImDrawList& now = *data.CmdLists[static_cast<int>(i)];
    List& kept = lists_[i];
    everywhere = everywhere || kept.owner != now._OwnerName;  // windows were added, removed or reordered
    const PixelRect covered = kept.covers;
    if (update(kept, now)) continue;
    kept.covers = {};
    for (const ImDrawCmd& command : now.CmdBuffer) {
      if (command.ElemCount > 0) kept.covers = around(kept.covers, common(pixels_touched(now, command, data, height), picture));
    }
    add(covered);
    add(kept.covers);
  }
  double differs = 0;
  for (const PixelRect& rect : differ_) differs += area(rect);
  if (everywhere || differs > kMaxInPieces * area(picture)) differ_.assign(1, picture);
  return differ_;
}

}  // namespace dlscope::app
