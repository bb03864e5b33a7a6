#include "app/panels/status_bar.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/models/focus_words.h"
#include "app/models/format.h"
#include "app/models/script_model.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

std::string left_words(const FrameContext& context) {
  if (context.index != nullptr) {
    Focus focus = context.hover;
    if (!focus.on_tensor() && context.selected != core::kNone32) focus.tensor = context.selected;
    std::string sentence = focus_sentence(*context.index, focus);
    if (!sentence.empty()) return sentence;
  }
  switch (context.host.state) {
    case HostState::running:
      return "The script is running.";
    case HostState::scanning:
      return "Looking at the tensors ...";
    case HostState::stopping:
      return context.host.stop_attempts > 1 ? "Asked again to stop. If nothing helps: Kill ends the Python process."
                                            : "Asked to stop; waiting for the script.";
    case HostState::failed:
    case HostState::crashed:
    case HostState::ended:
      return context.host.detail;
    default:
      return context.outcome.outcome == core::Outcome::not_run ? std::string() : outcome_sentence(context.outcome);
  }
}

std::string right_words(const FrameContext& context) {
  std::string text;
  if (context.preparing) text += "sorting ...   ";
  if (context.index != nullptr) {
    text += counted(context.index->size(), "tensor", "tensors");
    text += fmt::format(", {} in {}", counted(context.index->snapshot->groups.size(), "group", "groups"),
                        counted(context.index->map.lanes.size(), "space", "spaces"));
    if (context.index->with_problems > 0) text += ", " + counted(context.index->with_problems, "with problems", "with problems");
    text += "   ";
  }
  const std::size_t copies = context.index != nullptr ? context.index->snapshot->copies.size() : 0;
  return text + fmt::format("copies made by dlscope: {}", copies);
}

}  // namespace

void draw_status_bar(const FrameContext& context) {
  constexpr auto kFlags = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_MenuBar;
  if (ImGui::BeginViewportSideBar("##status", ImGui::GetMainViewport(), ImGuiDir_Down, ImGui::GetFrameHeight(), kFlags)) {
    if (ImGui::BeginMenuBar()) {
      const std::string right = right_words(context), left = left_words(context);
      const float right_width = ImGui::CalcTextSize(right.c_str()).x;
      const float right_at = ImGui::GetWindowWidth() - right_width - ImGui::GetStyle().ItemSpacing.x * 2;
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::PushClipRect(
          at, {ImGui::GetWindowPos().x + right_at - ImGui::GetStyle().ItemSpacing.x, at.y + ImGui::GetFrameHeight()}, true);
      words(left);
      explain(left);
      ImGui::PopClipRect();
      ImGui::SetCursorPosX(right_at);
      words(right, context.theme.dim);
      explain(
          "Looking copies nothing: tensors are described and released at once. Copies made on request would be counted here.");
      ImGui::EndMenuBar();
    }
  }
  ImGui::End();
}

void draw_notices(const FrameContext& context, const Notices& notices, Commands& commands) {
  if (notices.all().empty()) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float width = std::min(viewport->WorkSize.x * 0.9F, ImGui::GetFontSize() * 34);
  const ImVec2 corner{viewport->WorkPos.x + viewport->WorkSize.x - context.px(12),
                      viewport->WorkPos.y + viewport->WorkSize.y - context.px(12)};
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always, {1, 1});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, viewport->WorkSize.y * 0.6F});
  constexpr auto kFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                          ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                          ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
  if (ImGui::Begin("##notices", nullptr, kFlags)) {
    for (const Notice& notice : notices.all()) {
      ImGui::PushID(static_cast<int>(notice.id));
      ImGui::PushTextWrapPos(width - ImGui::GetFontSize() * 2.2F);
      words(notice.text, tone_colour(context.theme, notice.tone));
      ImGui::PopTextWrapPos();
      if (notice.command && ImGui::SmallButton(notice.action.c_str())) {
        commands.push(*notice.command);
        commands.push(command::DismissNotice{notice.id});
      }
      ImGui::SameLine(width - ImGui::GetFontSize() * 2.0F);
      if (ImGui::SmallButton("×")) commands.push(command::DismissNotice{notice.id});
      ImGui::PopID();
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
