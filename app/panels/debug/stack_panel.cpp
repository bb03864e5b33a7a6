#include "app/panels/debug/stack_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "app/models/actions/key_hints.h"
#include "app/models/debug/stack_rows.h"
#include "app/models/host/stop_words.h"
#include "app/models/text/format.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMostFunction = 60;

void draw_nothing(const FrameContext& context) {
  const std::string key = keys_or_title(context.keys, ActionId::breakpoint_toggle);
  wrapped_words("The script is not at a stop. " + key +
                    " sets a breakpoint on the line of the cursor, a click beside its number does the same; then run the script.",
                context.theme.dim);
}

// What is shown of a stop that is over is said to be that.
void draw_head(const FrameContext& context, const StopView& stop, bool stands) {
  if (stands)
    wrapped_words(stop_sentence(stop), context.theme.warn);
  else
    wrapped_words("The script runs. It stood here last:", context.theme.dim);
  if (stop.at.thread.empty()) return;
  words("Thread " + shortened(stop.at.thread, kMostFunction), context.theme.dim);
  explain("The thread that stands here. The others go on.");
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

void draw_frame(const FrameContext& context, const StopView& stop, std::uint32_t number, bool stands, Commands& commands) {
  const auto& frame = stop.at.frames[number];
  const bool chosen = stands && number == stop.frame;
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, stands && frame.user ? context.theme.text : context.theme.dim);
  const std::string function = shortened(frame.function, kMostFunction);
  const bool picked = ImGui::Selectable(LineText("{} {}###frame", chosen ? "▶" : "   ", function).c_str(), chosen,
                                        ImGuiSelectableFlags_SpanAllColumns);
  ImGui::PopStyleColor();
  explain([&] {
    return fmt::format("{}, line {} of {}{}", frame.function, frame.line, frame.path,
                       chosen       ? "\nThe console, completion and watches see its names."
                       : frame.user ? "\nA click lets the console, completion and watches see its names."
                                    : "\nCode of a library.");
  });
  if (picked && stands) commands.push(command::ChooseFrame{number});
  ImGui::TableNextColumn();
  words(frame_place(frame), context.theme.dim);
}

void draw_frames(const FrameContext& context, StackPanelState& state, const StopView& stop, bool stands, Commands& commands) {
  constexpr auto kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("frames", 2, kFlags)) return;
  ImGui::TableSetupColumn("function", ImGuiTableColumnFlags_WidthStretch, 0.6F);
  ImGui::TableSetupColumn("place", ImGuiTableColumnFlags_WidthStretch, 0.4F);
  for (const StackRow& row : stack_rows(stop, state.unfold)) {
    ImGui::PushID(static_cast<int>(row.frame));
    ImGui::TableNextRow();
    if (row.count > 1)
      draw_folded(context, row, state);
    else
      draw_frame(context, stop, row.frame, stands, commands);
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (state.unfold && ImGui::SmallButton("Fold the library frames")) state.unfold = false;
}

}  // namespace

void draw_stack_panel(const FrameContext& context, StackPanelState& state, Commands& commands) {
  if (ImGui::Begin(title_of(ActionContext::stack))) {
    const bool stands = context.host.stop() != nullptr;
    if (const StopView* stop = stands ? context.host.stop() : context.host.left_stop()) {
      draw_head(context, *stop, stands);
      draw_frames(context, state, *stop, stands, commands);
    } else {
      draw_nothing(context);
    }
    ImGui::Spacing();
    ImGui::Separator();
    draw_watch_list(context, state.watches, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
