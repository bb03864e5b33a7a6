#include "app/panels/script/completion_popup.h"

#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "app/models/text/fitted_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr int kMaxShownMatches = 9;

// The list of matches in pixels: as wide as what it shows, at most `room`. A match that does not fit is cut.
struct MatchColumns {
  float margin = 0, text = 0, kind_at = 0, width = 0;
};

MatchColumns match_columns(const FrameContext& context, const CompletionList& list, int first, int rows, float room) {
  float text = 0, kind = 0;
  for (int i = first; i < first + rows; ++i) {
    const Completion::Match& match = list.shown(static_cast<std::size_t>(i));
    text = std::max(text, text_width(match.text));
    kind = std::max(kind, text_width(match.kind));
  }
  const float margin = context.px(10), gap = context.px(16);
  text = std::min(text, std::max(room - kind - gap - 2 * margin, context.px(60)));
  const float width = std::max(text + gap + kind + 2 * margin, std::min(room, context.px(320)));
  return {margin, text, width - margin - kind, width};
}

}  // namespace

std::optional<std::size_t> draw_completion_popup(const FrameContext& context, const CompletionList& list, const ImVec2& above) {
  std::optional<std::size_t> clicked;
  if (!list.open()) return clicked;
  const int rows = std::min(static_cast<int>(list.size()), kMaxShownMatches);
  const int selected = static_cast<int>(list.selected());
  const int first = std::clamp(selected - rows / 2, 0, static_cast<int>(list.size()) - rows);
  const float room = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - above.x;
  const MatchColumns columns = match_columns(context, list, first, rows, room);
  ImGui::SetNextWindowPos(above, ImGuiCond_Always, {0, 1});
  ImGui::SetNextWindowSize({columns.width, 0});
  constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoDocking |
                          ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings |
                          ImGuiWindowFlags_AlwaysAutoResize;
  if (ImGui::Begin("##completion", nullptr, kFlags)) {
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
    for (int i = first; i < first + rows; ++i) {
      const Completion::Match& match = list.shown(static_cast<std::size_t>(i));
      ImGui::PushID(i);
      if (ImGui::Selectable("##match", i == selected, ImGuiSelectableFlags_SpanAllColumns)) clicked = static_cast<std::size_t>(i);
      const CutText shown = fit_text(match.text, columns.text, text_width);
      if (shown.cut) explain(match.text);
      ImGui::SameLine(columns.margin);
      draw_text(shown, context.theme.text);
      ImGui::SameLine(columns.kind_at);
      draw_text(match.kind, context.theme.dim);
      ImGui::PopID();
    }
    if (static_cast<int>(list.size()) > rows)
      draw_text(std::to_string(list.selected() + 1) + " of " + std::to_string(list.size()) + (list.cut() ? " and more" : ""),
                context.theme.dim);
  }
  ImGui::End();
  return clicked;
}

}  // namespace dlscope::app
