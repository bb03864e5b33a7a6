#include "app/panels/debug/stack_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>
#include <utility>

#include "app/models/actions/key_hints.h"
#include "app/models/debug/names_frame.h"
#include "app/models/debug/stack_rows.h"
#include "app/models/host/crash_text.h"
#include "app/models/host/stop_text.h"
#include "app/models/text/format.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxFunction = 60;

void draw_nothing(const FrameContext& context) {
  const std::string key = keys_or_title(context.keys, ActionId::breakpoint_toggle);
  draw_wrapped_text(
      "The script is not at a stop. " + key +
          " sets a breakpoint on the line of the cursor, a click beside its number does the same; then run the script.",
      context.theme.dim);
}

// Consecutive frames of one library, folded under its name; the innermost group is open.
void draw_native(const FrameContext& context, const core::CrashFacts& crash) {
  if (!crash.native.empty()) draw_text("Native code, innermost first", context.theme.dim);
  int number = 0;
  for (const NativeFrames& of_one : native_frames(crash)) {
    ImGui::PushID(number);
    const bool alone = of_one.frames.size() == 1;
    const LineText label("{}  {}###library", of_one.library, counted(of_one.frames.size(), "frame", "frames"));
    ImGui::SetNextItemOpen(number++ == 0 || alone, ImGuiCond_Once);
    if (ImGui::TreeNodeEx(label.c_str(), ImGuiTreeNodeFlags_SpanAvailWidth)) {
      ImGui::PushFont(context.fonts.mono, 0.0F);
      for (const std::string& frame : of_one.frames) draw_wrapped_text(frame, context.theme.text);
      ImGui::PopFont();
      ImGui::TreePop();
    }
    ImGui::PopID();
  }
}

// The process is parked where it crashed. Its Python stack is in the output.
void draw_crash(const FrameContext& context, const core::CrashFacts& crash) {
  draw_wrapped_text(context.outcome_text(), context.theme.bad);
  if (const std::string address = crash_address_text(crash); !address.empty()) draw_wrapped_text(address, context.theme.text);
  if (!crash.where.empty()) draw_wrapped_text(crash.where, context.theme.text);
  draw_native(context, crash);
  const bool stands = context.host.state() == HostState::crashed && !context.host.process_gone();
  draw_wrapped_text(stands ? "The process is halted: the tensors of the last snapshot can be read until Restart. Its Python "
                             "stack is in the output."
                           : "The process is gone, and its memory with it. Its Python stack is in the output.",
                    context.theme.dim);
}

// The run is over: its kept frames, and what keeping them costs.
void draw_ended(const FrameContext& context, StackPanelState& state, const StopView& ended, Commands& commands) {
  draw_wrapped_text(ended_sentence(ended.at), context.theme.bad);
  if (state.alive_of == context.host.ended_run() && !state.alive.empty()) draw_wrapped_text(state.alive, context.theme.text);
  draw_wrapped_text(
      "Its frames are kept until a script runs from its beginning, with the memory of all they hold. They can be viewed, not "
      "continued. Lines at the console run in the chosen one: \"Let go\", and they run among the script's names again.",
      context.theme.dim);
  ImGui::BeginDisabled(context.host.scan_refusal() != nullptr);
  if (small_button("Let go")) commands.push(command::ReleaseFrames{});
  ImGui::EndDisabled();
  explain("Drops these frames now: what only they held is freed.");
}

// A stop that is over is labelled so.
void draw_head(const FrameContext& context, const StopView& stop, bool stands) {
  if (stands)
    draw_wrapped_text(stop_sentence(stop), context.theme.warn);
  else
    draw_wrapped_text("The script runs. Last stop:", context.theme.dim);
  if (stop.at.thread.empty()) return;
  draw_text("Thread " + shortened(stop.at.thread, kMaxFunction), context.theme.dim);
  explain(
      "The thread that is stopped here. Below it: where the other threads were when it stopped, and where each asyncio task "
      "waits.");
}

void draw_folded(const FrameContext& context, const StackRow& row, StackPanelState& state) {
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.dim);
  const bool opened = ImGui::Selectable(LineText("    {} library frames …###folded", row.count).c_str(), false,
                                        ImGuiSelectableFlags_SpanAllColumns);
  ImGui::PopStyleColor();
  if (opened) state.unfold = true;
  explain("Functions that are not yours. A click shows them.");
  ImGui::TableNextColumn();
}

// The table shows the locals of one thread or task: choosing a frame of another one makes it show that one's.
void choose_frame(const StopView& stop, std::uint32_t number, StackPanelState& state, Commands& commands) {
  commands.push(command::ChooseFrame{number});
  if (stop.at.reason == core::wire::StopReason::ended || first_of_stack(stop.at, number) == first_of_stack(stop.at, stop.frame))
    return;
  commands.push(command::AskPython{{.asker = "stack",
                                    .ticket = ++state.stacks_asked,
                                    .kind = "look_from",
                                    .text = fmt::format(R"({{"frame": {}}})", number)}});
}

void draw_frame(const FrameContext& context, const StopView& stop, std::uint32_t number, bool stands, StackPanelState& state,
                Commands& commands) {
  const auto& frame = stop.at.frames[number];
  const bool chosen = stands && number == stop.frame;
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, stands && frame.user ? context.theme.text : context.theme.dim);
  const std::string function = shortened(frame.function, kMaxFunction);
  const bool picked = ImGui::Selectable(LineText("{} {}###frame", chosen ? "▶" : "   ", function).c_str(), chosen,
                                        ImGuiSelectableFlags_SpanAllColumns);
  ImGui::PopStyleColor();
  explain([&] {
    return fmt::format("{}, line {} of {}{}", frame.function, frame.line, frame.path,
                       chosen       ? "\nThe console, completion and watches see its names."
                       : frame.user ? "\nA click lets the console, completion and watches see its names."
                                    : "\nCode of a library.");
  });
  if (picked && stands) choose_frame(stop, number, state, commands);
  ImGui::TableNextColumn();
  draw_text(frame_place(frame), context.theme.dim);
}

// Each heading has a table of its own. first: number of its first frame.
bool begin_frames(std::uint32_t first) {
  constexpr auto kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  const bool begun =
      first == 0 ? ImGui::BeginTable("frames", 2, kFlags) : ImGui::BeginTable(LineText("frames-{}", first).c_str(), 2, kFlags);
  if (!begun) return false;
  ImGui::TableSetupColumn("function", ImGuiTableColumnFlags_WidthStretch, 0.6F);
  ImGui::TableSetupColumn("place", ImGuiTableColumnFlags_WidthStretch, 0.4F);
  return true;
}

void draw_frames(const FrameContext& context, StackPanelState& state, const StopView& stop, bool stands, Commands& commands) {
  if (!begin_frames(0)) return;
  for (const StackRow& row : stack_rows(stop, state.unfold)) {
    if (const std::string& heading = stop.at.frames[row.frame].heading; !heading.empty()) {
      ImGui::EndTable();
      draw_wrapped_text(heading, stop.at.reason == core::wire::StopReason::ended ? context.theme.bad : context.theme.dim);
      if (!begin_frames(row.frame)) return;
    }
    ImGui::PushID(static_cast<int>(row.frame));
    ImGui::TableNextRow();
    if (row.count > 1)
      draw_folded(context, row, state);
    else
      draw_frame(context, stop, row.frame, stands, state, commands);
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (state.unfold && small_button("Fold the library frames")) state.unfold = false;
}

}  // namespace

void draw_stack_panel(const FrameContext& context, StackPanelState& state, Commands& commands) {
  // A stop shows it, too: then it leaves the keyboard where it is, something may be being typed there.
  const bool asked_for = context.asked(show_panel(ActionContext::stack));
  const ImGuiWindowFlags flags = asked_for ? ImGuiWindowFlags_None : ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin(title_of(ActionContext::stack), nullptr, flags)) {
    const StopView *frames = context.host.frames(), *left = context.host.left_stop();
    if (frames != nullptr && frames == context.host.ended()) {
      draw_ended(context, state, *frames, commands);
      draw_frames(context, state, *frames, true, commands);
    } else if (const auto& crash = context.host.outcome().crash;
               crash && context.host.outcome().outcome == core::Outcome::crashed) {
      draw_crash(context, *crash);
    } else if (const StopView* stop = frames != nullptr ? frames : left) {
      draw_head(context, *stop, frames != nullptr);
      draw_frames(context, state, *stop, frames != nullptr, commands);
    } else {
      draw_nothing(context);
    }
    ImGui::Spacing();
    draw_debug_options(state.options);
    ImGui::Separator();
    draw_watch_list(context, state.watches, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
