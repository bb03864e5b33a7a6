#include "app/panels/script/run_buttons.h"

#include <imgui.h>

#include "app/models/actions/key_hints.h"
#include "app/models/host/suspension_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// Continues on the same line while there is room.
template <class Meaning>
bool button(const char* label, bool is_possible, Meaning&& meaning) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float end = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - style.WindowPadding.x;
  const float width = ImGui::CalcTextSize(label).x + style.FramePadding.x * 2;
  const float next = ImGui::GetItemRectMax().x + style.ItemInnerSpacing.x + width;
  if (ImGui::GetCursorPosY() > ImGui::GetCursorStartPos().y && next <= end) ImGui::SameLine(0, style.ItemInnerSpacing.x);
  ImGui::BeginDisabled(!is_possible);
  const bool pressed = ImGui::Button(label);
  ImGui::EndDisabled();
  explain(meaning);
  return pressed;
}

// Of what the process does itself. meaning: makes the tooltip, unless there is a refusal.
template <class Meaning>
bool button(const HostSession& host, const char* label, const char* refusal, Meaning&& meaning) {
  return button(label, refusal == nullptr,
                [&] { return hint_while_suspended(host, refusal != nullptr ? std::string(refusal) : meaning()); });
}

// Of what is done to the process, also to one that was stopped.
bool button_at_once(const char* label, const char* refusal, const char* meaning) {
  return button(label, refusal == nullptr, refusal != nullptr ? refusal : meaning);
}

// At a stop and while code runs, in place of Run.
void draw_stop_buttons(const FrameContext& context, Commands& commands) {
  using core::wire::ResumeKind;
  const HostSession& host = context.host;
  struct Way {
    const char* label;
    ActionId action;
    ResumeKind kind;
  };
  constexpr Way kWays[] = {{"▶ Continue", ActionId::debug_continue, ResumeKind::go},
                           {"Over", ActionId::debug_step_over, ResumeKind::step_over},
                           {"Into", ActionId::debug_step_into, ResumeKind::step_into},
                           {"Out", ActionId::debug_step_out, ResumeKind::step_out}};
  for (const Way& way : kWays) {
    const Action& row = action(way.action);
    if (button(host, way.label, host.resume_refusal(), [&] { return with_keys(context.keys, way.action, row.title); }))
      commands.push(command::ResumeScript{way.kind});
  }
}

void draw_pause_button(const FrameContext& context, Commands& commands) {
  const bool waits = context.host.pausing();
  if (button(context.host, waits ? "Pausing" : "Pause", context.host.pause_refusal(), [&] {
        return waits ? std::string(kPausing)
                     : with_keys(context.keys, ActionId::debug_pause, action(ActionId::debug_pause).meaning);
      }))
    commands.push(command::PauseScript{});
}

}  // namespace

void draw_run_buttons(const FrameContext& context, Commands& commands) {
  const HostSession& host = context.host;
  const Keymap& keys = context.keys;
  // A step takes only a moment: keep these buttons meanwhile.
  const bool steps = host.stop() != nullptr || host.left_stop() != nullptr;
  if (steps) draw_stop_buttons(context, commands);
  if (!steps && button(host, "▶ Run", host.run_refusal(), [&] {
        return with_keys(keys, ActionId::run_script,
                         "runs the text of the editor in a new namespace; imported modules stay loaded.");
      }))
    commands.push(command::RunScript{});
  if (button(host, "■ Stop", host.stop_refusal(),
             [&] { return with_keys(keys, ActionId::run_stop, "interrupts what runs, as Ctrl+C does. Press again to insist."); }))
    commands.push(command::InterruptScript{});
  // Behind Stop, which is pressed more than once: nothing else may get under the pointer meanwhile, least of all Kill.
  if (host.stop() == nullptr && host.pause_refusal() == nullptr) draw_pause_button(context, commands);
  if (button_at_once("Kill", host.kill_refusal(),
                     "Ends the Python process at once. The text, the layout and the last tensors stay."))
    commands.push(command::KillHost{});
  if (button_at_once("Restart", host.restart_refusal(), "A new Python process: nothing imported, no variables."))
    commands.push(command::RestartHost{});
}

}  // namespace dlscope::app
