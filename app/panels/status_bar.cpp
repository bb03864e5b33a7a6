#include "app/panels/status_bar.h"

#include <fmt/core.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "app/models/actions/key_hints.h"
#include "app/models/host/moment_text.h"
#include "app/models/host/outcome_sentence.h"
#include "app/models/host/stop_text.h"
#include "app/models/host/suspension_text.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/models/values/value_grid.h"
#include "app/panels/tasks/tasks_panel.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/marks.h"
#include "app/widgets/wrapped_text.h"

namespace dlscope::app {
namespace {

using FocusWords = StatusBarState::FocusWords;
using CountTexts = StatusBarState::CountTexts;

// What the mouse is on, else the pin, else the selected tensor.
Focus focus_shown(const FrameContext& context) {
  Focus focus = context.hover;
  if (!focus.on_tensor() && context.selected != core::kNone32) focus.tensor = context.selected;
  if (context.index == nullptr || focus.tensor >= context.index->size()) focus = {};
  return focus;
}

// The present value, because memory may change without a new snapshot; where other data may be by now, the kept one if there is one,
// and which of the two it is.
std::string value_now(const FrameContext& context, const Focus& focus, const KeptValues* kept) {
  if (!focus.on_tensor() || !focus.element) return {};
  const core::Snapshot& snapshot = *context.index->snapshot;
  const bool own = context.bytes_are_its_own(focus.tensor);
  const auto doubtful = [&](const std::string& text, const char* which) {
    const TensorState state = context.state_of(focus.tensor);
    return state == TensorState::past ? fmt::format("{} (then)", text)
                                      : fmt::format("{} ({}; {})", text, which, state_text(context.moment, state));
  };
  if (!own && kept != nullptr) {
    if (const auto then = kept->element(snapshot, focus.tensor, *focus.element)) return doubtful(then->text, "then");
  }
  if (context.reader == nullptr) return {};
  const core::TensorRecord& tensor = context.index->tensor(focus.tensor);
  auto cell = read_element(snapshot, tensor, *focus.element, *context.reader);
  if (!cell) return {};
  if (cell->readable && cell->value_class == core::ValueClass::nan) {  // which NaN it is, only its bits say
    const auto bits = read_element(snapshot, tensor, *focus.element, *context.reader, {.style = NumberStyle::hex});
    if (bits && bits->readable) cell->text += " = " + bits->text;
  }
  return own || !cell->readable ? std::move(cell->text) : doubtful(cell->text, "present bytes");
}

const FocusWords& focus_text(const FrameContext& context, const KeptValues* kept, StatusBarState& state) {
  const Focus focus = focus_shown(context);
  const StatusBarState::FocusSeen seen{context.generation, focus, value_now(context, focus, kept)};
  return state.focus.get(seen, [&](FocusWords& message) {
    ++state.focus_version;
    message = {};
    if (!focus.on_tensor()) return;
    message.line = focus_line(*context.index, focus, seen.value);
    message.whole = whole_text(message.line);
  });
}

std::string host_text(const FrameContext& context) {
  if (!context.host.suspension().empty()) return {};  // draw_stop() shows it
  switch (context.host.state()) {
    case HostState::running:
      if (context.host.waits_for_line()) return "The script waits for a line: type it below the output.";
      if (context.host.pausing()) return kPausing;
      if (context.host.last_run_kind() == RunKind::console || context.other_script.empty()) return "The script is running.";
      return std::string(context.other_script) + " is running.";
    case HostState::scanning:
      return "Scanning the tensors ...";
    case HostState::acting:
      return context.host.act() + " ..." + (context.host.busy() ? " What was asked for since begins afterwards." : "");
    case HostState::stopping:
      if (!context.host.act().empty())
        return "Asked to stop: " + context.host.act() + (context.host.stop_attempts() > 1 ? ". Kill ends the Python process." : " ...");
      return context.host.stop_attempts() > 1 ? "Asked again to stop. If it still runs, Kill ends the Python process."
                                              : "Asked to stop; waiting for the script.";
    case HostState::stopped:
      return {};  // draw_stop() shows it, also beside the focus
    case HostState::failed:
    case HostState::crashed:
    case HostState::ended:
      return context.host.detail();
    default:
      return context.host.outcome().outcome == core::Outcome::not_run ? std::string() : context.outcome_text();
  }
}

void make_counts(const FrameContext& context, const HeldTotal& total, CountTexts& out) {
  const std::size_t copies = context.index != nullptr ? context.index->snapshot->copies.size() : 0;
  const char* sorting = context.preparing ? "sorting ...   " : "";
  // A moment other than the present is the first thing to know.
  const std::string moment = moment_description(context.moment, context.host) + "   ";
  const std::string seen = nothing_ran(context.moment) ? std::string() : moment;
  const std::string held = held_total_text(total);
  const std::string own =
      held.empty() ? fmt::format("copies made by or for dlscope: {}", copies) : fmt::format("{}, copies made: {}", held, copies);
  out.few = seen + sorting + own;
  if (context.index == nullptr) {
    out.all = out.few;
    return;
  }
  const SnapshotIndex& index = *context.index;
  const bool open = index.snapshot->info.open_groups != core::UnknownWhy::none;
  const std::string groups = index.snapshot->sharing_not_yet()
                                 ? std::string("sharing still being worked out,")
                                 : open && index.size() > 0 && index.snapshot->groups.empty()
                                     ? std::string("sharing not worked out,")
                                 : open ? "at most " + counted(index.snapshot->groups.size(), "group", "groups")
                                        : counted(index.shared_groups, "shared group", "shared groups");
  out.all = fmt::format("{}{}{}, {} in {}", moment, sorting,
                        counted(index.size(), "tensor", "tensors"), groups,
                        counted(index.map.lanes.size(), "space", "spaces"));
  if (index.with_problems > 0) out.all += ", " + counted(index.with_problems, "with problems", "with problems");
  out.all += "   " + own;
}

// The pieces of the focus line that fit, each as its own item.
void draw_focus_line(const FrameContext& context, StatusBarState& state, const FocusWords& said, float room) {
  const bool pinned = context.pinned.on_tensor() && context.hover == context.pinned;
  const float gap = ImGui::GetFontSize();
  if (pinned) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_pin(ImGui::GetWindowDrawList(), {at.x, at.y + ImGui::GetFontSize() * 0.9F}, context.theme, context.scale);
    ImGui::Dummy({context.px(8), ImGui::GetFontSize()});
    explain([&] {
      return "Pinned by a click: it stays when the mouse is elsewhere. " + keys_or_title(context.keys, ActionId::deselect) +
             " lets go, the arrow keys move it.";
    });
    room -= context.px(8) + ImGui::GetStyle().ItemSpacing.x;
  }
  const FocusLine& shown = state.fitted.get({state.focus_version, room, gap}, [&](FocusLine& out) {
    out = fitted(said.line, room - text_width("→ "), gap, text_width);
    if (!out.formula.empty() && context.hover.element) out.formula.insert(0, "→ ");
  });
  ImGui::BeginGroup();
  const auto piece = [&](const std::string& text, const ImVec4& colour, bool first = false) {
    if (text.empty()) return;
    if (!first) ImGui::SameLine(0, gap);
    draw_text(text, colour);
  };
  piece(shown.place, context.theme.text, true);
  piece(shown.formula, context.theme.dim);
  piece(shown.value, context.theme.accent);
  piece(shown.also, context.theme.text);
  ImGui::EndGroup();
  explain(said.whole);
}

// `shown` in at most half of the bar, before everything else.
template <class Meaning>
void draw_first(const FrameContext& context, const std::string& shown, Meaning&& meaning) {
  const float width = std::min(text_width(shown), ImGui::GetWindowWidth() * 0.5F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_text(fit_text(shown, width, text_width), context.theme.warn);
  explain(meaning);
  ImGui::SetCursorScreenPos({at.x + width + ImGui::GetStyle().ItemSpacing.x * 2, at.y});
}

// Where the script stands and how to continue; or that somebody has stopped its process, which nothing here continues.
void draw_stop(const FrameContext& context) {
  const float room = ImGui::GetWindowWidth() * 0.5F;
  if (const std::string& said = context.host.suspension(); !said.empty()) {
    const std::string asked = context.host.stop_attempts() > 0 ? "Asked to stop. " : "", whole = asked + said;
    // Cut, it would name another process.
    const bool fits = text_width(whole) < room;
    return draw_first(context, fits ? whole : fmt::format("{}Python is {}", asked, kSuspendedWord), [&] { return whole; });
  }
  const StopView* stop = context.host.stop();
  if (stop == nullptr) return;
  const std::string where = stop_sentence(*stop);
  const std::string ways = " " + keys_or_title(context.keys, ActionId::debug_continue) + " continues, " +
                           keys_or_title(context.keys, ActionId::debug_step_over) + " steps over.";
  const bool with_ways = text_width(where) + text_width(ways) < room;
  draw_first(context, with_ways ? where + ways : where, [&] {
    return where + ways + "\n" + keys_or_title(context.keys, ActionId::debug_step_into) + " steps into, " +
           keys_or_title(context.keys, ActionId::debug_step_out) + " out of the function; " +
           keys_or_title(context.keys, ActionId::run_stop) + " ends the script.";
  });
}

}  // namespace

void draw_status_bar(const FrameContext& context, const HeldTotal& held, const KeptValues* kept, StatusBarState& state,
                     Commands& commands) {
  constexpr auto kFlags = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_MenuBar;
  if (ImGui::BeginViewportSideBar("##status", ImGui::GetMainViewport(), ImGuiDir_Down, ImGui::GetFrameHeight(), kFlags)) {
    if (ImGui::BeginMenuBar()) {
      const float gap = ImGui::GetStyle().ItemSpacing.x * 2;
      draw_stop(context);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float task_width = task_line_width(context);
      const float all = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - at.x - gap - task_width;
      const FocusWords& said = focus_text(context, kept, state);
      const std::string host = said.line.empty() ? host_text(context) : std::string();
      const float wanted = text_width(said.line.empty() ? host : said.whole) + gap * 3;
      // The focus matters more than the counts, which are shortened until they are left out.
      const StatusBarState::CountsSeen seen{context.generation, context.preparing, context.moment, held,
                                            !context.host.suspension().empty()};
      const CountTexts& counts = state.counts.get(seen, [&](CountTexts& out) { make_counts(context, held, out); });
      const std::string& right = wanted + text_width(counts.all) > all ? counts.few : counts.all;
      float right_width = text_width(right) + gap;
      const float least = text_width(said.line.place) + text_width(said.line.also_few) + gap * 3;
      const bool fits = right_width < all * 0.5F && least + right_width <= all;
      if (!fits) right_width = 0;
      ImGui::PushClipRect(at, {at.x + all - right_width, at.y + ImGui::GetFrameHeight()}, true);
      if (said.line.empty()) {
        draw_text(host);
        explain(host);
      } else {
        draw_focus_line(context, state, said, all - right_width - gap);
      }
      ImGui::PopClipRect();
      if (fits) {
        ImGui::SetCursorScreenPos({at.x + all - right_width + gap, at.y});
        draw_text(right, context.theme.dim);
        explain([&] {
          return counts.all +
                 "\nViewing copies no tensor: tensors are described and released at once. Copies made on request would be "
                 "counted here; what this window keeps of the values it showed is not, and is in the ledger (Exchange)." +
                 (held.tensors == 0 ? ""
                                    : "\nHeld: the bytes of " + counted(held.tensors, "tensor", "tensors") +
                                          ", each counted once. Their libraries may keep more alive with them: a view keeps all "
                                          "of what it is a view of.");
        });
      }
      if (task_width > 0) {
        ImGui::SetCursorScreenPos({at.x + all + gap, at.y});
        draw_task_line(context, commands);
      }
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
      ImGui::PushStyleColor(ImGuiCol_Text, tone_colour(context.theme, notice.tone));
      draw_paragraph(notice.text, width - ImGui::GetFontSize() * 2.2F - ImGui::GetCursorPosX());
      ImGui::PopStyleColor();
      if (notice.command && small_button(notice.action.c_str())) {
        commands.push_copy(*notice.command);
        commands.push(command::DismissNotice{notice.id});
      }
      ImGui::SameLine(width - ImGui::GetFontSize() * 2.0F);
      if (small_button("×")) commands.push(command::DismissNotice{notice.id});
      if (notice.stays && notice.command) explain("Gives it up: it is not offered again.");
      ImGui::PopID();
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
