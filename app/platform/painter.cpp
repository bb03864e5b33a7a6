#include "app/platform/painter.h"

#include <glad/gl.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "app/widgets/pixel_texture.h"

namespace dlscope::app {
namespace {

bool textures_wait(const ImDrawData& data) {
  return data.Textures != nullptr &&
         std::ranges::any_of(std::span(data.Textures->Data, static_cast<std::size_t>(data.Textures->Size)),
                             [](const ImTextureData* t) {
                               // A PixelTexture gets another number when it changes, so its draw command differs.
                               return t->Status != ImTextureStatus_OK && t->UniqueID < kFirstPixelTexture;
                             });
}

void clear(const PixelRect& area, const ImVec4& colour, int height) {
  if (area.empty()) return;
  glScissor(area.x0, height - area.y1, area.x1 - area.x0, area.y1 - area.y0);
  glClearColor(colour.x, colour.y, colour.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

// --- backgrounds -------------------------------------------------------------------------------------------------------

struct PlainRect {
  ImRect area;
  ImU32 colour = 0;
};

// The next rectangle of a command, if it is of one opaque colour, as made by ImDrawList::AddRectFilled.
bool next_plain_rect(const ImDrawList& list, const ImDrawCmd& command, const ImVec2& white, PlainRect& out) {
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

// The pixels whose centres are inside the rectangle: those its triangles would fill.
PixelRect pixels_within(const ImRect& area, const ImDrawData& data) {
  const auto pixel = [](float at, float from, float scale) { return static_cast<int>(std::ceil((at - from) * scale - 0.5F)); };
  return {pixel(area.Min.x, data.DisplayPos.x, data.FramebufferScale.x),
          pixel(area.Min.y, data.DisplayPos.y, data.FramebufferScale.y),
          pixel(area.Max.x, data.DisplayPos.x, data.FramebufferScale.x),
          pixel(area.Max.y, data.DisplayPos.y, data.FramebufferScale.y)};
}

// Cuts every command to the parts, which do not overlap, so each pixel is still painted in order. Requires a scale of one pixel
// per unit.
void confine(ImDrawData& data, std::span<const PixelRect> parts, int height, ImVector<ImDrawCmd>& confined) {
  for (ImDrawList* list : data.CmdLists) {
    confined.resize(0);
    for (const ImDrawCmd& command : list->CmdBuffer) {
      if (command.ElemCount == 0) continue;
      const PixelRect whole = pixels_of(command, data, height);
      for (const PixelRect& part : parts) {
        const PixelRect inside = common(whole, part);
        if (inside.empty()) continue;
        confined.push_back(command);
        confined.back().ClipRect = {
            static_cast<float>(inside.x0) + data.DisplayPos.x, static_cast<float>(inside.y0) + data.DisplayPos.y,
            static_cast<float>(inside.x1) + data.DisplayPos.x, static_cast<float>(inside.y1) + data.DisplayPos.y};
      }
    }
    list->CmdBuffer.swap(confined);
  }
}

// --- pixels of panels ----------------------------------------------------------------------------------------------------

// The pixels that a command fills if it draws one PixelTexture as PixelTexture::draw() does, one texel per pixel.
std::optional<PixelRect> image_of(const ImDrawList& list, const ImDrawCmd& command, const ImDrawData& data) {
  if (command.UserCallback != nullptr || command.ElemCount != 6 || data.FramebufferScale.x != 1 || data.FramebufferScale.y != 1)
    return std::nullopt;
  const ImDrawIdx* i = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawVert* v = list.VtxBuffer.Data + command.VtxOffset;
  const ImDrawVert &left_top = v[i[0]], &right_low = v[i[2]];
  const ImTextureData& texture = *command.TexRef._TexData;
  const float wide = right_low.pos.x - left_top.pos.x, high = right_low.pos.y - left_top.pos.y;
  const float rows = (left_top.uv.y - right_low.uv.y) * static_cast<float>(texture.Height);
  const float columns = (right_low.uv.x - left_top.uv.x) * static_cast<float>(texture.Width);
  const auto whole = [](float a) { return a == std::floor(a); };
  const bool one_to_one = std::abs(rows - high) < 0.01F && std::abs(columns - wide) < 0.01F && left_top.uv.x == 0 &&
                          right_low.uv.y == 0 && whole(left_top.pos.x - data.DisplayPos.x) &&
                          whole(left_top.pos.y - data.DisplayPos.y) && whole(wide) && whole(high) &&
                          left_top.col == IM_COL32_WHITE;
  if (!one_to_one) return std::nullopt;
  const int x = static_cast<int>(left_top.pos.x - data.DisplayPos.x), y = static_cast<int>(left_top.pos.y - data.DisplayPos.y);
  return PixelRect{x, y, x + static_cast<int>(wide), y + static_cast<int>(high)};
}

}  // namespace

// A window's list begins with its background. It may be filled before everything else if nothing was drawn there earlier.
void Painter::take_backgrounds(ImDrawData& data) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  ImVector<ImRect> earlier;
  fills_.clear();
  for (ImDrawList* list : data.CmdLists) {
    bool leading = true;
    for (ImDrawCmd& command : list->CmdBuffer) {
      PlainRect rect;
      while (leading && next_plain_rect(*list, command, white, rect)) {
        leading = std::ranges::none_of(earlier, [&](const ImRect& r) { return r.Overlaps(rect.area); });
        if (!leading) break;
        fills_.push_back({pixels_within(rect.area, data), ImGui::ColorConvertU32ToFloat4(rect.colour)});
        command.IdxOffset += 6;
        command.ElemCount -= 6;
      }
      if (command.ElemCount == 0) continue;
      leading = false;
      earlier.push_back(ImRect(command.ClipRect));
    }
  }
}

// A draw callback: called while the frame is drawn, in order with the other commands.
void Painter::write_pixels(const ImDrawList*, const ImDrawCmd* command) {
  const PixelPiece& piece = *static_cast<const PixelPiece*>(command->UserCallbackData);
  if (piece.texture->Pixels == nullptr) return;
  const std::uint32_t* const pixels = reinterpret_cast<const std::uint32_t*>(piece.texture->Pixels);
  glBindTexture(GL_TEXTURE_2D, piece.target);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, piece.texture->Width);
  glTexSubImage2D(GL_TEXTURE_2D, 0, piece.x, piece.y, piece.width, piece.height, GL_RGBA, GL_UNSIGNED_BYTE,
                  pixels + std::ptrdiff_t{piece.texture_y} * piece.texture->Width + piece.texture_x);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

// Commands that draw a PixelTexture 1:1 are replaced by writing its pixels; a texture that no other command draws is not
// uploaded.
void Painter::take_pixels(ImDrawData& data, const RenderTarget& target) {
  pieces_.clear();
  textures_.resize(0);
  std::size_t commands = 0;
  for (const ImDrawList* list : data.CmdLists) commands += static_cast<std::size_t>(list->CmdBuffer.Size);
  pieces_.reserve(commands);  // commands keep pointers into it
  ImVector<const ImTextureData*> drawn;
  for (ImDrawList* list : data.CmdLists) {
    for (ImDrawCmd& command : list->CmdBuffer) {
      const ImTextureData* const texture = command.TexRef._TexData;
      if (texture == nullptr || texture->UniqueID < kFirstPixelTexture || command.ElemCount == 0) continue;
      const auto image = image_of(*list, command, data);
      if (!image) {
        drawn.push_back(texture);
        continue;
      }
      const PixelRect picture{0, 0, target.width(), target.height()};
      const PixelRect part = common(*image, common(pixels_of(command, data, target.height()), picture));
      command.ElemCount = 0;
      if (part.empty()) continue;
      pieces_.push_back({.texture = texture,
                         .texture_x = part.x0 - image->x0,
                         .texture_y = image->y1 - part.y1,  // rows are stored bottom up
                         .x = part.x0,
                         .y = target.height() - part.y1,
                         .width = part.x1 - part.x0,
                         .height = part.y1 - part.y0,
                         .target = target.texture()});
      command.UserCallback = write_pixels;
      command.UserCallbackData = &pieces_.back();
    }
  }
  if (data.Textures == nullptr) return;
  for (ImTextureData* const texture : *data.Textures) {
    const bool waits = texture->Status == ImTextureStatus_WantCreate || texture->Status == ImTextureStatus_WantUpdates;
    if (texture->UniqueID < kFirstPixelTexture || !waits || drawn.contains(texture)) textures_.push_back(texture);
  }
  data.Textures = &textures_;
}

int Painter::paint(ImDrawData& data, const RenderTarget& target, const ImVec4& ground) {
  const int width = target.width(), height = target.height();
  const bool other_ground = std::memcmp(&ground, &ground_, sizeof ground) != 0;
  ground_ = ground;
  if (other_ground || textures_wait(data)) difference_.forget();
  const std::vector<PixelRect>& differ = difference_.update(data, width, height);
  if (differ.empty()) return 0;
  const PixelRect picture{0, 0, width, height};
  // When a unit is not a whole pixel, a cut command could lose or gain a pixel at its edge.
  const bool confinable = data.FramebufferScale.x == 1 && data.FramebufferScale.y == 1;
  const bool in_parts = confinable && differ.front() != picture;
  const std::span<const PixelRect> parts = in_parts ? std::span(differ) : std::span(&picture, 1);
  take_backgrounds(data);
  glViewport(0, 0, width, height);
  glEnable(GL_SCISSOR_TEST);
  for (const PixelRect& part : parts) {
    clear(part, ground, height);
    for (const Fill& fill : fills_) clear(common(fill.area, part), fill.colour, height);
  }
  glDisable(GL_SCISSOR_TEST);
  if (in_parts) confine(data, parts, height, confined_);
  take_pixels(data, target);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  int pixels = 0;
  for (const PixelRect& part : parts) pixels += (part.x1 - part.x0) * (part.y1 - part.y0);
  return pixels;
}

}  // namespace dlscope::app
