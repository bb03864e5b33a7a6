#include "app/panels/script/console_input.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

#include "app/models/host/console_hint.h"
#include "app/models/text/fitted_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/typed_ahead.h"

namespace dlscope::app {
namespace {

constexpr double kStillTyping = 1;  // seconds after the last typed character
constexpr double kBlink = 0.5;      // seconds: a line of Python that ends sooner does not change the field

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

// Whether the line is for the running code: for a script at once, for a line of Python when it waits for one or takes longer.
bool is_for_code(const FrameContext& context, ConsoleInputState& state) {
  const HostSession& host = context.host;
  const double now = ImGui::GetTime();
  const bool line_runs = host.busy() && host.last_run_kind() == RunKind::console && !host.waits_for_line();
  state.busy_since = !line_runs ? -1 : state.busy_since < 0 ? now : state.busy_since;
  const double left = line_runs && !state.was_busy ? state.busy_since + kBlink - now : 0;
  if (left <= 0) return host.busy();
  state.next_frame_in = static_cast<int>(left * 1000) + 1;
  return false;
}

// The field that replaces the other one takes over the keyboard, and, where a line of Python runs, what was typed meanwhile.
void change_field(const FrameContext& context, ConsoleInputState& state, Commands& commands) {
  const bool is_console = context.host.last_run_kind() == RunKind::console;
  const bool had_keyboard = state.active();
  if (had_keyboard) ImGui::ClearActiveID();
  state.python.active = state.reply.active = false;
  state.python.completion.close();
  bool& take = state.was_busy ? state.reply.take_keyboard : state.python.take_keyboard;
  take = take || had_keyboard;
  if (!is_console) return;
  if (state.was_busy) {
    for (std::string& line : state.python.held) commands.push(command::SendInput{std::move(line) + "\n"});
    state.python.held.clear();
  }
  std::string& typed = state.was_busy ? state.python.text : state.reply.text;
  const bool is_edited = state.was_busy && state.python.edit;  // a line that has been run is still in it
  if (!had_keyboard || is_edited || typed.find('\n') != std::string::npos) return;
  type_first(typed);
  typed.clear();
}

}  // namespace

float console_input_height(const ConsoleInputState& state, const HostSession& host) {
  const auto lines = static_cast<float>(state.was_busy ? 1 : shown_lines(state.python));
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
  const bool for_code = is_for_code(context, state);
  if (std::exchange(state.was_busy, for_code) != for_code) change_field(context, state, commands);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  if (console_needs_restart(context.host)) draw_restart(context, commands);
  if (!state.python.said.empty()) draw_text(state.python.said, context.theme.dim);
  if (for_code)
    draw_reply_input(context, state.reply, output, commands);
  else
    draw_python_input(context, state.python, commands);
  ImGui::PopFont();
}

}  // namespace dlscope::app
