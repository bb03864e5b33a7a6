#include "app/widgets/tooltip.h"

#include <imgui_internal.h>

#include <algorithm>

#include "app/widgets/marks.h"
#include "app/widgets/wrapped_text.h"

namespace dlscope::app {
namespace {

constexpr float kWidth = 30;       // font sizes: text is wrapped at this width
constexpr float kBelowMouse = 10;  // pixels: where Dear ImGui begins a tooltip

// The item that was clicked last, for as long as the mouse stays on it. Texts have no id; their place tells them apart.
struct ClickedItem {
  ImGuiID id = 0;
  ImVec2 at;
  int frame = -1;  // the last in which it was under the mouse
};
ClickedItem clicked;

// For an item under the mouse. Who has clicked it has read its tooltip, which would only cover what the click changed.
bool was_clicked_here() {
  const ImGuiID id = ImGui::GetItemID();
  const ImVec2 at = id == 0 ? ImGui::GetItemRectMin() : ImVec2();
  const int frame = ImGui::GetFrameCount();
  const bool clicks = ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (!clicks && (id != clicked.id || at.x != clicked.at.x || at.y != clicked.at.y || frame > clicked.frame + 1)) return false;
  clicked = {id, at, frame};
  return true;
}

// A click can put another item under the mouse, which then was not asked for its tooltip either.
bool rests_since_click() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const double clicked_at = std::max(g.IO.MouseClickedTime[ImGuiMouseButton_Left], g.IO.MouseClickedTime[ImGuiMouseButton_Right]);
  constexpr double kRounding = 1e-3;  // seconds: the timer is a sum of floats
  return clicked_at > 0 && g.Time - clicked_at <= static_cast<double>(g.MouseStationaryTimer) + kRounding;
}

void place_tooltip(ImVec2 size, TooltipSide side) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImVec2 mouse = ImGui::GetIO().MousePos, from = viewport->WorkPos;
  const ImVec2 to{from.x + viewport->WorkSize.x, from.y + viewport->WorkSize.y};  // above the status bar
  if (side == TooltipSide::below && mouse.y + kBelowMouse + size.y <= to.y) return;
  const float over = side == TooltipSide::above ? ImGui::GetItemRectMin().y : mouse.y - ImGui::GetFontSize() * 0.5F;
  const float bottom = std::min(over, to.y);
  if (bottom - size.y < viewport->Pos.y) return;  // there is less room than below
  ImGui::SetNextWindowPos({std::clamp(mouse.x, from.x, std::max(from.x, to.x - size.x)), bottom}, ImGuiCond_Always, {0, 1});
}

}  // namespace

bool tooltip_is_due() {
  // In this order: a click is to be noticed before the tooltip's delay is over.
  const bool clicked_here = was_clicked_here();
  return !clicked_here && !rests_since_click() && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip);
}

void show_tooltip(std::string_view text, TooltipSide side) {
  if (text.empty()) return;
  const ImVec2 pad = ImGui::GetStyle().WindowPadding;
  const float width = ImGui::GetFontSize() * kWidth - pad.x;
  const ImVec2 inside = wrapped_size(text, width);
  place_tooltip({inside.x + pad.x * 2, inside.y + pad.y * 2}, side);
  if (!ImGui::BeginTooltip()) return;
  draw_wrapped_lines(text, width);
  ImGui::EndTooltip();
}

void explain_head(std::string_view text) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  note_meaning(text);
  if (tooltip_is_due()) show_tooltip(text, TooltipSide::above);
}

}  // namespace dlscope::app
