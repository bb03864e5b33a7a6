#include "app/platform/painter.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace dlscope::app {
namespace {

// Replaces what `kept` holds with `now`, at `at`. True when it was the same.
template <class Item>
bool take_up(std::vector<Item>& kept, std::size_t at, const ImVector<Item>& now) {
  const auto count = static_cast<std::size_t>(now.Size);
  const std::size_t bytes = count * sizeof(Item);
  if (kept.size() >= at + count && (bytes == 0 || std::memcmp(kept.data() + at, now.Data, bytes) == 0)) return true;
  kept.resize(std::max(kept.size(), at + count));
  if (bytes > 0) std::memcpy(kept.data() + at, now.Data, bytes);
  return false;
}

bool textures_wait(const ImDrawData& data) {
  return data.Textures != nullptr &&
         std::ranges::any_of(std::span(data.Textures->Data, static_cast<std::size_t>(data.Textures->Size)),
                             [](const ImTextureData* t) { return t->Status != ImTextureStatus_OK; });
}

// Dear ImGui's own textures get their name from OpenGL when they are first painted with.
std::uint64_t texture_of(const ImDrawCmd& command) {
  if (command.TexRef._TexData != nullptr) return static_cast<std::uint64_t>(command.TexRef._TexData->UniqueID);
  return static_cast<std::uint64_t>(command.TexRef._TexID);
}

// --- backgrounds -------------------------------------------------------------------------------------------------------

struct Fill {
  ImRect area;
  ImU32 colour = 0;
};

// The next rectangle of a command, when it is one plain opaque colour: as ImDrawList::AddRectFilled makes it.
bool next_fill(const ImDrawList& list, const ImDrawCmd& command, const ImVec2& white, Fill& out) {
  if (command.UserCallback != nullptr || command.ElemCount < 6) return false;
  const ImDrawIdx* i = list.IdxBuffer.Data + command.IdxOffset;
  const bool quad = i[1] == i[0] + 1 && i[2] == i[0] + 2 && i[3] == i[0] && i[4] == i[2] && i[5] == i[0] + 3;
  if (!quad) return false;
  const ImDrawVert* v = list.VtxBuffer.Data + command.VtxOffset + i[0];
  const auto plain = [&](const ImDrawVert& a) { return a.col == v[0].col && a.uv.x == white.x && a.uv.y == white.y; };
  if ((v[0].col & IM_COL32_A_MASK) != IM_COL32_A_MASK || !plain(v[0]) || !plain(v[1]) || !plain(v[2]) || !plain(v[3]))
    return false;
  const bool upright =
      v[0].pos.y == v[1].pos.y && v[1].pos.x == v[2].pos.x && v[2].pos.y == v[3].pos.y && v[3].pos.x == v[0].pos.x;
  if (!upright || v[2].pos.x <= v[0].pos.x || v[2].pos.y <= v[0].pos.y) return false;
  out.area = ImRect(v[0].pos, v[2].pos);
  out.area.ClipWithFull(ImRect(command.ClipRect));
  out.colour = v[0].col;
  return true;
}

// Exactly the pixels whose centres the rectangle holds, which are those its triangles would fill.
void clear(const ImDrawData& data, const Fill& fill, int height) {
  const auto pixel = [](float at, float from, float scale) { return static_cast<int>(std::ceil((at - from) * scale - 0.5F)); };
  const int x0 = pixel(fill.area.Min.x, data.DisplayPos.x, data.FramebufferScale.x);
  const int x1 = pixel(fill.area.Max.x, data.DisplayPos.x, data.FramebufferScale.x);
  const int y0 = pixel(fill.area.Min.y, data.DisplayPos.y, data.FramebufferScale.y);
  const int y1 = pixel(fill.area.Max.y, data.DisplayPos.y, data.FramebufferScale.y);
  if (x1 <= x0 || y1 <= y0) return;
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(fill.colour);
  glScissor(x0, height - y1, x1 - x0, y1 - y0);
  glClearColor(c.x, c.y, c.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

// A window's list begins with its background. It may be filled before everything else where nothing drawn earlier lies.
void clear_backgrounds(ImDrawData& data, int height) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  ImVector<ImRect> earlier;
  glEnable(GL_SCISSOR_TEST);
  for (ImDrawList* list : data.CmdLists) {
    bool leading = true;
    for (ImDrawCmd& command : list->CmdBuffer) {
      Fill fill;
      while (leading && next_fill(*list, command, white, fill)) {
        leading = std::ranges::none_of(earlier, [&](const ImRect& r) { return r.Overlaps(fill.area); });
        if (!leading) break;
        clear(data, fill, height);
        command.IdxOffset += 6;
        command.ElemCount -= 6;
      }
      if (command.ElemCount == 0) continue;
      leading = false;
      earlier.push_back(ImRect(command.ClipRect));
    }
  }
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace

bool Painter::same_again(const ImDrawData& data, int width, int height, const ImVec4& ground) {
  bool same = width == width_ && height == height_ && std::memcmp(&ground, &ground_, sizeof ground) == 0;
  width_ = width;
  height_ = height;
  ground_ = ground;
  pieces_now_.clear();
  std::size_t vertices = 0, indices = 0;
  for (const ImDrawList* list : data.CmdLists) {
    for (const ImDrawCmd& c : list->CmdBuffer) {
      if (c.UserCallback != nullptr) same = false;  // nobody knows what it draws
      pieces_now_.push_back({c.ClipRect, texture_of(c), c.ElemCount, static_cast<unsigned>(indices) + c.IdxOffset,
                             static_cast<unsigned>(vertices) + c.VtxOffset});
    }
    same = take_up(vertices_, vertices, list->VtxBuffer) && same;
    same = take_up(indices_, indices, list->IdxBuffer) && same;
    vertices += static_cast<std::size_t>(list->VtxBuffer.Size);
    indices += static_cast<std::size_t>(list->IdxBuffer.Size);
  }
  same = pieces_now_ == pieces_ && same;
  std::swap(pieces_, pieces_now_);
  return same;
}

bool Painter::paint(ImDrawData& data, int width, int height, const ImVec4& ground) {
  const bool waits = textures_wait(data);
  if (same_again(data, width, height, ground) && !waits) return false;
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  clear_backgrounds(data, height);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  return true;
}

}  // namespace dlscope::app
