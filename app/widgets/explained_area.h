// A drawn area with a tooltip: an item of its own, so that the mouse and the help card find it.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <string_view>

#include "app/widgets/marks.h"

namespace dlscope::app {

// from, to: screen pixels. id: unique among the areas of the window. Moves the cursor.
inline void explained_area(ImVec2 from, ImVec2 to, int id, std::string_view meaning) {
  ImGui::PushID(id);
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton("area", ImVec2(std::max(to.x - from.x, 1.0F), std::max(to.y - from.y, 1.0F)));
  explain(meaning);
  ImGui::PopID();
}

}  // namespace dlscope::app
