#include "app/panels/script/log_panel.h"

#include <imgui.h>

#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

void draw_event(const FrameContext& context, const LoggedEvent& event) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  draw_text(event.time, context.theme.dim);
  ImGui::PopFont();
  ImGui::TableNextColumn();
  draw_wrapped_text(event.text, tone_colour(context.theme, event.tone));
}

}  // namespace

void draw_log_panel(const FrameContext& context, LogPanelState& state, const Notices& notices) {
  if (ImGui::Begin(title_of(ActionContext::log))) {
    const auto& events = notices.logged();
    if (events.empty())
      draw_wrapped_text("Nothing has happened yet. Runs, what they changed and every notice are listed here.", context.theme.dim);
    if (ImGui::BeginTable("events", 2, ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit)) {
      ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed);
      ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthStretch);
      const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
      for (const LoggedEvent& event : events) draw_event(context, event);
      if (at_end && state.seen != events.size()) ImGui::SetScrollHereY(1);
      state.seen = events.size();
      if (ImGui::BeginPopupContextWindow("log menu")) {
        if (ImGui::MenuItem("Copy all")) ImGui::SetClipboardText(notices.log_text().c_str());
        ImGui::EndPopup();
      }
      ImGui::EndTable();
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
