#include "app/panels/script/console_input.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

#include "app/models/host/console_hint.h"
#include "app/models/text/fitted_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr double kStillTyping = 1;  // seconds after the last typed character

// Above the field: no new Python starts by itself, because the names that a line means are gone.
void draw_restart(const FrameContext& context, Commands& commands) {
  constexpr const char* kLabel = "Restart Python";
  const float room = ImGui::GetContentRegionAvail().x - button_width(kLabel) - ImGui::GetStyle().ItemSpacing.x;
  const std::string_view words =
      first_that_fits({"Python has ended, and its names with it. To type here:", "Python has ended.", "Ended."}, room);
  if (!words.empty()) {
    draw_text(words, context.theme.warn);
    ImGui::SameLine();
  }
  if (small_button(kLabel)) commands.push(command::RestartHost{});
  explain("Starts a new Python, without any names. What is typed here stays.");
}

// The field that replaces the other one takes over the keyboard.
void change_field(ConsoleInputState& state) {
  const bool had_keyboard = state.active();
  if (had_keyboard) ImGui::ClearActiveID();
  state.python.active = state.reply.active = false;
  state.python.completion.close();
  bool& take = state.was_busy ? state.reply.take_keyboard : state.python.take_keyboard;
  take = take || had_keyboard;
}

}  // namespace

float console_input_height(const ConsoleInputState& state, const HostSession& host) {
  const auto lines = static_cast<float>(host.busy() ? 1 : shown_lines(state.python));
  const ImGuiStyle& style = ImGui::GetStyle();
  float height = lines * ImGui::GetTextLineHeight() + style.FramePadding.y * 2 + style.ItemSpacing.y;
  if (!state.python.said.empty()) height += ImGui::GetTextLineHeightWithSpacing();
  if (console_needs_restart(host)) height += ImGui::GetFrameHeightWithSpacing();
  return height;
}

// Not while something is typed elsewhere: the rest of it would be sent to the script. Taken when that is over.
void follow_waiting_script(const FrameContext& context, ConsoleInputState& state) {
  forget_reply(context, state.reply);
  const double now = ImGui::GetTime();
  if (!ImGui::GetIO().InputQueueCharacters.empty()) state.typed_at = now;
  const bool waits = context.host.waits_for_line();
  if (std::exchange(state.was_waiting, waits) != waits) state.wants_keyboard = waits;
  state.next_frame_in = 0;
  state.wants_keyboard = state.wants_keyboard && !state.active();
  if (!state.wants_keyboard) return;
  const double left = state.typed_at ? *state.typed_at + kStillTyping - now : 0;
  if (left > 0) {
    state.next_frame_in = static_cast<int>(left * 1000) + 1;
    return;
  }
  state.wants_keyboard = false;
  state.reply.take_keyboard = true;
  ImGui::SetWindowFocus(title_of(ActionContext::output));  // it may be behind another tab
}

void draw_console_input(const FrameContext& context, ConsoleInputState& state, const OutputModel& output, Commands& commands) {
  const bool busy = context.host.busy();
  if (std::exchange(state.was_busy, busy) != busy) change_field(state);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  if (console_needs_restart(context.host)) draw_restart(context, commands);
  if (!state.python.said.empty()) draw_text(state.python.said, context.theme.dim);
  if (busy)
    draw_reply_input(context, state.reply, output, commands);
  else
    draw_python_input(context, state.python, commands);
  ImGui::PopFont();
}

}  // namespace dlscope::app
