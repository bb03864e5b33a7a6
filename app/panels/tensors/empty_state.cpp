#include "app/panels/tensors/empty_state.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>

#include "app/models/actions/key_hints.h"
#include "app/models/host/outcome_sentence.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

// In a small panel a card shows only its title, and the text is its tooltip.
enum class CardForm : std::uint8_t { title, whole };
constexpr float kTitleLines = 1.6F, kWholeLines = 5.8F;

bool card(const FrameContext& context, const char* title, const char* text, float width, CardForm form) {
  if (form == CardForm::title) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.accent);
    const bool pressed = ImGui::Button(title, {width, ImGui::GetTextLineHeight() * kTitleLines});
    ImGui::PopStyleColor();
    explain(text);
    return pressed;
  }
  ImGui::PushID(title);
  const float height = ImGui::GetTextLineHeight() * kWholeLines;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::Button("##card", {width, height});
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const float pad = context.px(12);
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushFont(context.fonts.bold, 0.0F);
  list->AddText({at.x + pad, at.y + pad}, ImGui::GetColorU32(context.theme.accent), title);
  ImGui::PopFont();
  list->AddText(nullptr, 0.0F, {at.x + pad, at.y + pad + ImGui::GetTextLineHeight() * 1.3F},
                ImGui::GetColorU32(context.theme.dim), text, nullptr, width - pad * 2);
  ImGui::SetCursorScreenPos(after);
  ImGui::PopID();
  return pressed;
}

std::string python_description(const HostSession& host) {
  switch (host.state()) {
    case HostState::finding:
      return "Looking for a Python to run it with ...";
    case HostState::starting:
      return host.python() + " is starting ...";
    case HostState::failed:
      return host.detail();
    case HostState::absent:
      return host.python().empty() ? "No Python was asked for." : host.python();
    default:
      return host.python() + (host.libraries().empty() ? "." : " with " + host.libraries() + ".");
  }
}

// How the last run ended is forgotten when the text that was run is no longer the one in the editor. Its process goes on.
bool forgot_last_run(const HostSession& host) {
  return host.is_up() && host.next_run() > host.first_run_of_process();
}

// After a run without tensors, the reason is more useful than an invitation.
std::string headline(const FrameContext& context) {
  switch (context.host.outcome().outcome) {
    case core::Outcome::not_run:
      if (context.host.runs() == 0) return "Nothing was run yet";
      if (forgot_last_run(context.host)) {
        return context.other_script.empty() ? "The script was read from its file again since it was run"
                                            : fmt::format("{} was run last, not this script", context.other_script);
      }
      // It took its process with it (os._exit, a signal, Kill), so how it ended is what is known of the process.
      return context.host.detail().empty() ? "The last run ended with its process" : context.host.detail();
    case core::Outcome::finished:
      // The script need not have run in the Python of a console line.
      if (context.host.last_run_kind() == RunKind::console) return "No tensor is in Python's global names";
      return "The script left no tensor in its global names";
    default:
      return context.outcome_text();
  }
}

// While code runs, or stands in input(); or somebody has stopped its process.
std::string headline_of_process(const HostSession& host) {
  if (!host.suspension().empty()) return host.suspension();
  return host.waits_for_line() ? "The script waits for a line of input" : "Running ...";
}

// Where the line is typed that the script waits for.
void draw_way_to_input(const FrameContext& context, Commands& commands) {
  if (!context.host.busy() || !context.host.waits_for_line()) return;
  draw_text("Type it in the field below the output; Enter sends it.", context.theme.text);
  if (small_button("Show the output")) commands.push(command::Ask{show_panel(ActionContext::output)});
}

constexpr float kOneRowEm = 34, kOneRowOfTitlesEm = 27;  // em; in a narrower panel the cards are below one another
constexpr float kLinesBeside = 9;                        // lines for headline, sentence, Python and the space between

void draw_recent(const FrameContext& context, Commands& commands) {
  if (context.recent_files.empty()) return;
  draw_text("Recent files", context.theme.dim);
  for (std::size_t i = 0; i < context.recent_files.size() && i < 5; ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string& path = context.recent_files[i];
    if (ImGui::Selectable("##recent")) commands.push(command::OpenScript{path});
    ImGui::SameLine(0, 0);
    draw_text(path, context.theme.accent);
    ImGui::PopID();
  }
  ImGui::Dummy({0, context.px(4)});
}

// What was run is not in the editor: running that again begins with opening it.
void draw_way_to_other_script(const FrameContext& context, Commands& commands) {
  const std::string& path = context.host.script_of_run().path;
  if (path.empty()) return;
  if (ImGui::Button(fmt::format("Open {}###other script", context.other_script).c_str()))
    commands.push(command::OpenScript{path});
  explain("From there it can be run again, and stopped before the function returns.");
}

// All tensors were locals: their names exist again when the function runs again.
void draw_way_back(const FrameContext& context, Commands& commands) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  const std::string_view function = snapshot.str(snapshot.info.last_function);
  if (function.empty())
    return draw_text(
        "What was local to a function is gone when it has returned. To look before that: dlscope.stop() in the function.");
  const std::string of = context.other_script.empty() ? "" : fmt::format(" in {}", context.other_script);
  draw_text(fmt::format("All that {}(){} had was local to it, and gone when it had returned.", function, of));
  if (!context.other_script.empty()) return draw_way_to_other_script(context, commands);
  ImGui::BeginDisabled(context.host.run_refusal() != nullptr);
  const std::string label = fmt::format("Run again and stop before {}() returns###way back", function);
  if (ImGui::Button(label.c_str())) commands.push(command::RunScript{.stop_at = std::string(function) + ":return"});
  ImGui::EndDisabled();
  explain("Runs the script once more and stops at the end of the function, while its tensors are there.");
}

}  // namespace

void draw_empty_state(const FrameContext& context, Commands& commands) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float line = ImGui::GetTextLineHeight();
  const float width = std::min(room.x, ImGui::GetFontSize() * 46);
  const float left = ImGui::GetCursorPosX() + std::max(0.0F, (room.x - width) * 0.5F);
  const float whole_cards = kWholeLines * (width < ImGui::GetFontSize() * kOneRowEm ? 3 : 1);
  const CardForm form = room.y < line * (whole_cards + kLinesBeside) ? CardForm::title : CardForm::whole;
  ImGui::SetCursorPos({left, ImGui::GetCursorPosY() + (form == CardForm::whole ? context.px(16) : 0)});
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(left + width);
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.25F);
  const bool is_said_by_process = context.host.busy() || !context.host.suspension().empty();
  draw_text(is_said_by_process ? headline_of_process(context.host) : headline(context));
  ImGui::PopFont();
  draw_way_to_input(context, commands);
  draw_text("dlscope shows the tensors of a Python program: where their bytes are, and who shares them.",
            context.theme.dim);
  if (!context.host.busy() && context.index != nullptr && context.index->snapshot->info.functions_returned)
    draw_way_back(context, commands);
  if (!context.host.busy()) draw_limits_reached(context);
  ImGui::Dummy({0, context.px(4)});
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const bool stacked = width < ImGui::GetFontSize() * (form == CardForm::whole ? kOneRowEm : kOneRowOfTitlesEm);
  const float card_width = stacked ? width : (width - gap * 2) / 3;
  if (card(context, "Open the tour", "A short script about views, copies and hand-overs between libraries.", card_width, form))
    commands.push(command::OpenTour{});
  if (!stacked) ImGui::SameLine();
  if (card(context, "Open a script",
           with_keys(context.keys, ActionId::script_open, "nothing runs before you ask for it.").c_str(), card_width, form))
    commands.push(command::OpenScript{});
  if (!stacked) ImGui::SameLine();
  if (card(context, "Type in the console",
           ("Python, line by line, in the names a script left; or a script of your own, then " +
            keys_or_title(context.keys, ActionId::run_script) + ".")
               .c_str(),
           card_width, form))
    commands.push(command::Ask{show_panel(ActionContext::output)});
  ImGui::Dummy({0, context.px(4)});
  draw_recent(context, commands);
  draw_text(python_description(context.host), context.host.state() == HostState::failed ? context.theme.bad : context.theme.dim);
  if (context.host.state() != HostState::absent && small_button("Choose another Python …"))
    commands.push(command::Ask{ActionId::python_choose});
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
}

}  // namespace dlscope::app
