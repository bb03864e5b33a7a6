#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "app/models/actions/key_hints.h"
#include "app/models/history/moment_history.h"
#include "app/panels/history/history_panel.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr const char* kBack = "Back to now";

void draw_moment(const FrameContext& context, float room) {
  const KeptMomentPtr moment = context.history.kept->find(context.history.shown);
  const core::Snapshot& snapshot = *context.index->snapshot;
  const std::string title = moment_title(snapshot);
  const LineText whole("Looking back: {}{}{}. {} are as they were then; the rest is as it is now.", title, moment ? ", " : "",
                       moment ? std::string_view(moment->time) : std::string_view(),
                       context.held.empty() ? "Table, map, sharing and inspector"
                                            : "Table, map, sharing, inspector and what remembered tensors held");
  const LineText brief("Looking back: {}{}{}", title, moment ? ", " : "",
                       moment ? std::string_view(moment->time) : std::string_view());
  draw_text(first_that_fits({whole.view(), brief.view(), "Looking back"}, room), context.theme.warn);
  explain([&] { return std::string(whole.view()) + "\n" + moment_meaning(context.moment); });
}

// "": nothing newer exists.
std::string newer_text(const FrameContext& context) {
  if (context.history.newer == 0) return {};
  const KeptMomentPtr newer = context.history.kept->find(context.history.newer);
  return "A newer snapshot exists" + (newer ? ": " + newer->title : std::string()) + ".";
}

}  // namespace

float past_bar_height(const FrameContext& context) {
  return context.moment.since == Since::looked_again ? ImGui::GetFrameHeight() : 0;
}

void draw_past_bar(const FrameContext& context, Commands& commands) {
  if (past_bar_height(context) == 0) return;
  constexpr auto kFlags = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_MenuBar;
  if (ImGui::BeginViewportSideBar("##past", ImGui::GetMainViewport(), ImGuiDir_Up, ImGui::GetFrameHeight(), kFlags)) {
    if (ImGui::BeginMenuBar()) {
      const HistoryView& history = context.history;
      if (small_button(kBack)) commands.push(command::ShowMoment{});
      explain([&] {
        return "Shows the newest snapshot again. " + keys_or_title(context.keys, ActionId::history_now) + ", or Escape.";
      });
      const auto step = [&](const char* label, std::uint64_t moment, ActionId action) {
        ImGui::BeginDisabled(moment == 0);
        if (small_button(label)) commands.push(command::ShowMoment{moment});
        ImGui::EndDisabled();
        explain([&] { return std::string(app::action(action).title) + " (" + keys_or_title(context.keys, action) + ")"; });
      };
      step("<##earlier", history.earlier, ActionId::history_earlier);
      step(">##later", history.later, ActionId::history_later);
      const std::string newer = newer_text(context);
      const float gap = ImGui::GetStyle().ItemSpacing.x * 2;
      const float left = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetCursorScreenPos().x - gap;
      draw_moment(context, newer.empty() ? left : left - ImGui::CalcTextSize(newer.c_str()).x - gap);
      if (!newer.empty()) {
        draw_text(newer, context.theme.accent);
        explain("Code ran, or the tensors were scanned again, while you looked back. Back to now shows it.");
      }
      ImGui::EndMenuBar();
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
