#include "app/widgets/typed_ahead.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

namespace dlscope::app {

void take_keyboard_now(const char* label) {
  const ImGuiID field = ImGui::GetID(label);
  if (ImGui::GetActiveID() == field) return;
  ImGui::ClearActiveID();  // of the field that has it
  ImGui::GetCurrentContext()->InputTextReactivateId = field;
}

void type_first(std::string_view text) {
  ImVector<ImWchar>& typed = ImGui::GetIO().InputQueueCharacters;
  const ImVector<ImWchar> after = typed;
  typed.resize(0);
  for (const char* at = text.data(), *const end = at + text.size(); at < end;) {
    unsigned int character = 0;
    at += ImTextCharFromUtf8(&character, at, end);
    typed.push_back(static_cast<ImWchar>(character));
  }
  for (const ImWchar character : after) typed.push_back(character);
}

}  // namespace dlscope::app
