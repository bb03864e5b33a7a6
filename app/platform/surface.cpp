// The common part of all surfaces.
#include "app/platform/surface.h"

#include <glad/gl.h>
#include <imgui.h>

#include <cstring>

namespace dlscope::app {

void Surface::count_frame() {
  const ImDrawData* data = ImGui::GetDrawData();
  counters_ = {data->TotalVtxCount, 0, 0};
  for (const ImDrawList* list : data->CmdLists) counters_.draw_commands += list->CmdBuffer.Size;
}

Picture read_pixels(int width, int height) {
  Picture picture{width, height, {}};
  const std::size_t row = static_cast<std::size_t>(width) * 4;
  const auto rows = static_cast<std::size_t>(height);
  std::vector<std::byte> bottom_up(row * rows);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bottom_up.data());
  picture.rgba.resize(bottom_up.size());
  for (std::size_t y = 0; y < rows; ++y) std::memcpy(&picture.rgba[y * row], &bottom_up[(rows - 1 - y) * row], row);
  for (std::size_t i = 3; i < picture.rgba.size(); i += 4) picture.rgba[i] = std::byte{255};
  return picture;
}

}  // namespace dlscope::app
