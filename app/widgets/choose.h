// A combo box of few words.
#pragma once

#include <imgui.h>

#include <algorithm>

#include "app/widgets/marks.h"

namespace dlscope::app {

// A combo box as wide as its longest entry; entries without a name are not offered. Returns whether the choice changed.
template <class Choice, class Name>
bool choose(const char* label, Choice& chosen, Name name_of, const char* meaning) {
  float width = 0;
  for (int i = 0; i < static_cast<int>(Choice::count); ++i) {
    if (const char* const name = name_of(static_cast<Choice>(i)); name != nullptr)
      width = std::max(width, ImGui::CalcTextSize(name).x);
  }
  width += ImGui::GetFrameHeight() + ImGui::GetStyle().FramePadding.x * 2;
  same_line_for(width);
  ImGui::SetNextItemWidth(width);
  bool changed = false;
  if (ImGui::BeginCombo(label, name_of(chosen))) {
    for (int i = 0; i < static_cast<int>(Choice::count); ++i) {
      const auto one = static_cast<Choice>(i);
      if (name_of(one) == nullptr || !ImGui::Selectable(name_of(one), one == chosen)) continue;
      changed = one != chosen;
      chosen = one;
    }
    ImGui::EndCombo();
  }
  explain(meaning);
  return changed;
}

}  // namespace dlscope::app
