#include "app/panels/output_panel.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include "app/models/format.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMostHistory = 500;

void draw_lines(const FrameContext& context, OutputPanelState& state, const OutputModel& output) {
  ImGui::PushFont(context.fonts.mono, 0.0F);
  // The last line is usually the empty one the cursor waits in.
  const bool trailing = output.size() > 1 && output.line(output.size() - 1).text.empty();
  const auto count = static_cast<int>(output.size() - (trailing ? 1 : 0));
  ImGuiListClipper clipper;
  clipper.Begin(count, ImGui::GetTextLineHeightWithSpacing());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i, ++state.lines_drawn) {
      const OutputLine& line = output.line(static_cast<std::size_t>(i));
      words(line.text, line.kind == OutputKind::note ? context.theme.note : context.theme.text);
    }
  }
  ImGui::PopFont();
}

void follow_newest(OutputPanelState& state, const OutputModel& output) {
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
  const bool scrolled_up = ImGui::GetIO().MouseWheel > 0 && ImGui::IsWindowHovered();
  if (scrolled_up)
    state.follow = false;
  else if (at_end)
    state.follow = true;
  if (state.seen_revision != output.revision() || state.follow) {
    state.seen_revision = output.revision();
    if (state.follow) ImGui::SetScrollHereY(1.0F);
  }
}

void draw_context_menu(const OutputModel& output, Commands& commands) {
  if (!ImGui::BeginPopupContextWindow("output menu")) return;
  if (ImGui::MenuItem("Copy all")) ImGui::SetClipboardText(output.all_text().c_str());
  if (ImGui::MenuItem("Clear")) commands.push(command::ClearOutput{});
  ImGui::EndPopup();
}

// Up and Down bring back what was typed before.
int recall_line(ImGuiInputTextCallbackData* data) {
  auto& state = *static_cast<OutputPanelState*>(data->UserData);
  const std::size_t before = state.history_at;
  if (data->EventKey == ImGuiKey_UpArrow && state.history_at > 0) --state.history_at;
  if (data->EventKey == ImGuiKey_DownArrow && state.history_at < state.history.size()) ++state.history_at;
  if (before == state.history_at) return 0;
  data->DeleteChars(0, data->BufTextLen);
  if (state.history_at < state.history.size()) data->InsertChars(0, state.history[state.history_at].c_str());
  return 0;
}

void send_line(const FrameContext& context, OutputPanelState& state, Commands& commands) {
  if (context.host.busy()) {
    commands.push(command::SendInput{state.input + "\n"});
  } else if (!state.input.empty()) {
    commands.push(command::RunText{state.input});
    if (state.history.empty() || state.history.back() != state.input) state.history.push_back(state.input);
    if (state.history.size() > kMostHistory) state.history.erase(state.history.begin());
    state.history_at = state.history.size();
  }
  state.input.clear();
}

void draw_input(const FrameContext& context, OutputPanelState& state, Commands& commands) {
  ImGui::BeginDisabled(!context.host.busy() && !context.host.can_run());
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::AlignTextToFramePadding();
  words(context.host.busy() ? "input" : ">>>", context.theme.dim);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  constexpr auto kFlags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory;
  const char* hint = context.host.busy() ? "For the running script, Enter sends it" : "Python, with the names the script left";
  if (ImGui::InputTextWithHint("##input", hint, &state.input, kFlags, recall_line, &state)) {
    send_line(context, state, commands);
    ImGui::SetKeyboardFocusHere(-1);
  }
  ImGui::PopFont();
  ImGui::EndDisabled();
}

}  // namespace

void draw_output_panel(const FrameContext& context, OutputPanelState& state, const OutputModel& output, Commands& commands) {
  state.lines_drawn = 0;
  if (ImGui::Begin(kOutputWindow)) {
    if (output.dropped_lines() > 0)
      words(counted(output.dropped_lines(), "older line was", "older lines were") + " let go.", context.theme.dim);
    const float input_height = ImGui::GetFrameHeightWithSpacing();
    if (ImGui::BeginChild("lines", {0, -input_height}, ImGuiChildFlags_None, ImGuiWindowFlags_HorizontalScrollbar)) {
      draw_lines(context, state, output);
      follow_newest(state, output);
      draw_context_menu(output, commands);
    }
    ImGui::EndChild();
    draw_input(context, state, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
