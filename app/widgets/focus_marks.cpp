#include "app/widgets/focus_marks.h"

namespace dlscope::app {
namespace {

ImU32 accent(const Theme& theme, float alpha) {
  return ImGui::GetColorU32({theme.accent.x, theme.accent.y, theme.accent.z, theme.accent.w * alpha});
}

}  // namespace

void fill_focus(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, FocusMark mark) {
  if (mark != FocusMark::none) list->AddRectFilled(from, to, accent(theme, mark == FocusMark::pinned ? 0.34F : 0.22F));
}

void outline_focus(ImDrawList* list, ImVec2 from, ImVec2 to, const Theme& theme, FocusMark mark, float scale) {
  if (mark == FocusMark::none) return;
  if (mark == FocusMark::hovered) {
    list->AddRect(from, to, accent(theme, 1), 0, scale);
    return;
  }
  list->AddRect({from.x - scale, from.y - scale}, {to.x + scale, to.y + scale}, theme.selection, 0, scale);
  list->AddRect(from, to, accent(theme, 1), 0, 2 * scale);
  draw_pin(list, {from.x + 2 * scale, from.y + 9 * scale}, theme, scale);
}

void draw_pin(ImDrawList* list, ImVec2 tip, const Theme& theme, float scale) {
  const ImVec2 head{tip.x + 4 * scale, tip.y - 6 * scale};
  list->AddLine(tip, head, theme.selection, 1.5F * scale);
  list->AddCircleFilled(head, 3.5F * scale, theme.selection);
  list->AddCircleFilled(head, 2.5F * scale, accent(theme, 1));
}

}  // namespace dlscope::app
