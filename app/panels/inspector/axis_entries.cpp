#include "app/panels/inspector/axis_entries.h"

#include <imgui.h>

#include <string_view>

#include "app/widgets/marks.h"
#include "app/widgets/theme.h"

namespace dlscope::app {

std::optional<int> draw_axis_entries(const std::string& list, const std::string& copy, float wrap_at, int lit_axis,
                                     const Theme& theme) {
  std::optional<int> hovered;
  const float left = ImGui::GetCursorPosX();
  ImGui::BeginGroup();
  std::string_view rest = list;
  for (int axis = 0; !rest.empty(); ++axis) {
    const std::size_t comma = rest.find(", ");
    const std::string_view entry = rest.substr(0, comma == std::string_view::npos ? comma : comma + 2);
    rest.remove_prefix(entry.size());
    if (axis > 0) {
      ImGui::SameLine(0, 0);
      const float width = text_width(entry);
      if (ImGui::GetCursorPosX() + width > wrap_at && ImGui::GetCursorPosX() > left) ImGui::NewLine();
    }
    if (axis == lit_axis)
      draw_text(entry, theme.accent);
    else
      draw_text(entry);
    if (ImGui::IsItemHovered()) hovered = axis;
  }
  ImGui::EndGroup();
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) ImGui::SetClipboardText(copy.c_str());
  if (ImGui::BeginPopupContextItem("axes")) {
    if (ImGui::MenuItem("Copy")) ImGui::SetClipboardText(copy.c_str());
    ImGui::EndPopup();
  }
  return hovered;
}

}  // namespace dlscope::app
