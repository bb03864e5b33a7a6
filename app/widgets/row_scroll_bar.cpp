#include "app/widgets/row_scroll_bar.h"

namespace dlscope::app {

void row_scroll_bar(const char* id, ImVec2 from, float height, std::uint64_t& first, std::uint64_t last) {
  if (last == 0) return;
  const std::uint64_t zero = 0;
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ImGui::GetStyleColorVec4(ImGuiCol_ScrollbarBg));
  ImGui::PushStyleColor(ImGuiCol_SliderGrab, ImGui::GetStyleColorVec4(ImGuiCol_ScrollbarGrab));
  ImGui::PushStyleColor(ImGuiCol_SliderGrabActive, ImGui::GetStyleColorVec4(ImGuiCol_ScrollbarGrabActive));
  ImGui::SetCursorScreenPos(from);
  ImGui::VSliderScalar(id, {ImGui::GetStyle().ScrollbarSize, height}, ImGuiDataType_U64, &first, &last, &zero, "");
  ImGui::PopStyleColor(3);
}

}  // namespace dlscope::app
