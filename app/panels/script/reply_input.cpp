#include "app/panels/script/reply_input.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/widgets/marks.h"
#include "app/widgets/typed_ahead.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxOfPrompt = 60;  // characters
constexpr float kMaxPromptWidth = 0.6F;   // part of the line's width

// The last printed line, as the question of an input(); "" when it is empty.
std::string prompt_of(const OutputModel& output) {
  if (output.size() == 0) return {};
  const OutputLine& last = output.line(output.size() - 1);
  const std::string_view text = last.kind == OutputKind::text ? std::string_view(last.text) : std::string_view();
  const std::size_t end = text.find_last_not_of(' ');
  return end == std::string_view::npos ? std::string() : shortened(text.substr(0, end + 1), kMaxOfPrompt);
}

// Overwritten, because it may be a password.
void erase(std::string& text) {
  std::ranges::fill(text, '\0');
  text.clear();
}

}  // namespace

void forget_reply(const FrameContext& context, ReplyInput& reply) {
  const bool secret = !context.host.echoes();
  const bool secret_over = std::exchange(reply.was_secret, secret) && !secret;
  const bool for_script = reply.for_question || context.host.last_run_kind() != RunKind::console;
  const bool run_over = !context.host.busy() && context.host.stop() == nullptr;
  if (reply.text.empty() || (!secret_over && !(run_over && for_script))) return;
  erase(reply.text);
  reply.erased = context.host.busy();
}

void draw_reply_input(const FrameContext& context, ReplyInput& reply, const OutputModel& output, Commands& commands) {
  const bool waits = context.host.waits_for_line(), secret = !context.host.echoes();
  const bool erased = std::exchange(reply.erased, false);
  if (erased && reply.active) {
    ImGui::ClearActiveID();  // the active field has the text, too
    reply.take_keyboard = true;
  }
  ImGui::AlignTextToFramePadding();
  reply.prompt = waits ? prompt_of(output) : std::string();
  if (ImGui::CalcTextSize(reply.prompt.c_str()).x > ImGui::GetContentRegionAvail().x * kMaxPromptWidth) reply.prompt.clear();
  if (reply.prompt.empty()) reply.prompt = !waits ? "input" : secret ? "secret" : "answer";
  draw_text(reply.prompt, waits ? context.theme.accent : context.theme.dim);
  ImGui::SameLine();
  if (std::exchange(reply.take_keyboard, false)) take_keyboard_now("##reply");
  ImGui::SetNextItemWidth(-1);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().FramePadding.x * 2;
  const std::string_view hint =
      !waits   ? first_that_fits({"For the running script, Enter sends it", "For the running script", "For input()"}, room)
      : secret ? first_that_fits({"The script waits for a line that is not shown, as for a password",
                                  "The script waits; what is typed is not shown", "Not shown"},
                                 room)
               : first_that_fits({"The script waits for a line; Enter sends it", "The script waits for a line", "A line"}, room);
  const auto flags = ImGuiInputTextFlags_EnterReturnsTrue | (secret ? ImGuiInputTextFlags_Password : 0);
  if (ImGui::InputTextWithHint("##reply", hint.data(), &reply.text, flags)) {
    commands.push(command::SendInput{reply.text + "\n"});
    erase(reply.text);
    reply.take_keyboard = true;
  }
  if (erased) erase(reply.text);  // a field that just lost the keyboard writes its old text back
  reply.for_question = waits || secret || (reply.for_question && !reply.text.empty());
  reply.active = ImGui::IsItemActive() || reply.take_keyboard;
}

}  // namespace dlscope::app
