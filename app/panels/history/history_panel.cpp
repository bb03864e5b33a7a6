#include "app/panels/history/history_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/history/history_answers.h"
#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_changes.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/history/compare_link.h"
#include "app/panels/history/moment_differences.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kChipEm = 6.5F;
constexpr std::size_t kNameLength = 48, kMaxRemembered = 12;

// --- the strip ----------------------------------------------------------------------------------------------------------

// Which tensors' bytes were kept at that moment; "": none.
std::string remembered_text(const RememberedMomentPtr& kept) {
  if (!kept) return {};
  std::string out;
  std::size_t listed = 0;
  for (const RememberedTensor& tensor : kept->tensors) {
    if (++listed > kMaxRemembered) return fmt::format("{}\n… and {} more", out, kept->tensors.size() - kMaxRemembered);
    out += fmt::format("\n● {}: ", shortened_name(tensor.name, kNameLength));
    if (!tensor.why_not.empty())
      out += "not kept, because " + tensor.why_not;
    else if (tensor.hashes)
      out += "hashes of its blocks";
    else
      out += human_bytes(tensor.bytes->size()) +
             (tensor.values.method == core::StatisticsMethod::exact ? ", " + specials_text(tensor.values) : "");
    if (tensor.ran != RanMeanwhile::no) out += fmt::format(", {}", ran_text(tensor.ran));
  }
  return "\nRemembered:" + out;
}

std::string chip_meaning(const KeptMoment& moment, const RememberedMomentPtr& kept) {
  return fmt::format(
      "{}, {}\n{}, {} of records; those that are the same in other moments are kept once.{}\nClick: look back at it. Ctrl+click "
      "or right click: compare with it (≠).",
      moment.title, moment.time, counted(moment.tensors, "tensor", "tensors"), human_bytes(moment.record_bytes),
      remembered_text(kept));
}

void draw_chip(const FrameContext& context, HistoryPanelState& state, const KeptMoment& moment, ImVec2 size, Commands& commands) {
  const HistoryView& history = context.history;
  const bool shown = moment.number == history.shown, base = moment.number == compared_with(context, state);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(moment.number));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});  // a selectable fills the spacing around it
  const bool clicked = ImGui::Selectable("##moment", shown, ImGuiSelectableFlags_None, {size.x - context.px(2), size.y});
  ImGui::PopStyleVar();
  const bool wants_base = (clicked && ImGui::GetIO().KeyCtrl) || ImGui::IsItemClicked(ImGuiMouseButton_Right);
  if (wants_base)
    state.base = moment.number;
  else if (clicked)
    commands.push(command::ShowMoment{moment.number});
  const RememberedMomentPtr kept = history.remembered->find(moment.number);
  explain([&] { return chip_meaning(moment, kept); });
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float pad = context.px(4);
  list->PushClipRect(at, {at.x + size.x - pad, at.y + size.y}, true);
  list->AddText({at.x + pad, at.y}, ImGui::GetColorU32(shown ? context.theme.text : context.theme.dim), moment.label.c_str());
  const LineText below("{}{}{}", moment.time, base ? " ≠" : "", kept ? " ●" : "");
  list->AddText({at.x + pad, at.y + ImGui::GetTextLineHeight()},
                ImGui::GetColorU32(base ? context.theme.accent : context.theme.dim), below.c_str());
  list->PopClipRect();
  const ImU32 edge = shown ? context.theme.selection : ImGui::GetColorU32(base ? context.theme.accent : context.theme.border);
  list->AddRect(at, {at.x + size.x - context.px(2), at.y + size.y}, edge, context.px(3), context.px(shown ? 2.0F : 1.0F));
  ImGui::PopID();
  ++state.chips_drawn;
}

// Draws the visible chips; all have the same width.
void draw_strip(const FrameContext& context, HistoryPanelState& state, Commands& commands) {
  const KeptMoments& moments = context.history.kept->moments();
  const float width = ImGui::GetFontSize() * kChipEm, height = ImGui::GetTextLineHeight() * 2 + context.px(2);
  const float all = width * static_cast<float>(moments.size());
  const bool scrolls = all > ImGui::GetContentRegionAvail().x;
  const float bar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0;
  if (ImGui::BeginChild("strip", {0, height + bar + context.px(2)}, ImGuiChildFlags_None, ImGuiWindowFlags_HorizontalScrollbar)) {
    const float room = ImGui::GetWindowWidth();
    if (std::exchange(state.revealed, context.history.shown) != context.history.shown) {
      const auto found =
          std::ranges::lower_bound(moments, context.history.shown, {}, [](const KeptMomentPtr& m) { return m->number; });
      const float at = width * static_cast<float>(found - moments.begin());
      if (at < ImGui::GetScrollX() || at + width > ImGui::GetScrollX() + room)
        ImGui::SetScrollX(std::max(0.0F, at + width - room));
    }
    const ImVec2 from = ImGui::GetCursorPos();
    const auto first = static_cast<std::size_t>(std::max(0.0F, ImGui::GetScrollX() / width));
    const auto last = std::min(moments.size(), first + static_cast<std::size_t>(room / width) + 2);
    for (std::size_t i = first; i < last; ++i) {
      ImGui::SetCursorPos({from.x + width * static_cast<float>(i), from.y});
      draw_chip(context, state, *moments[i], {width - context.px(4), height}, commands);
    }
    ImGui::SetCursorPos({from.x + all, from.y});
    ImGui::Dummy({0, 0});
  }
  ImGui::EndChild();
}

void draw_kept(const FrameContext& context) {
  const MomentHistory& kept = *context.history.kept;
  if (const RememberedTensors& bytes = *context.history.remembered; bytes.dropped() > 0) {
    const LineText said("Remembered bytes: {} of at most {}; those of {} were dropped", human_bytes(bytes.bytes()),
                        human_bytes(bytes.most_bytes()), counted(bytes.dropped(), "older moment", "older moments"));
    draw_wrapped_text(said.view(), context.theme.warn);
  }
  if (kept.given_up() == 0) return;  // only then: the panel is small, and the tooltip of a moment tells its size
  const LineText said("{} older {} dropped: {} kept, {} of at most {}", grouped(kept.given_up()),
                      kept.given_up() == 1 ? "moment was" : "moments were", kept.moments().size(), human_bytes(kept.bytes()),
                      human_bytes(kept.most_bytes()));
  draw_wrapped_text(said.view(), context.theme.warn);
  explain(
      "Every snapshot of the tensors is kept: after a run, at a stop, on request. It holds the descriptions, and the bytes of "
      "remembered tensors. When they take more than that, the oldest are dropped.");
}

// --- since when ---------------------------------------------------------------------------------------------------------

// Goes to the first moment of the series, and to the element that shows it.
void go_to_moment(const FrameContext& context, const SinceWhen& since, Commands& commands) {
  const bool elsewhere = since.first != context.history.shown && context.history.kept->find(since.first) != nullptr;
  if (!elsewhere && !since.element) return;
  if (small_button(elsewhere ? "Go there" : "Show the element")) {
    if (since.element) commands.push(command::Pin{focus_on(*context.index, context.selected, *since.element)});
    if (elsewhere) commands.push(command::ShowMoment{since.first});
  }
  explain([&] { return "Shows " + since.first_text + (since.element ? ", with the element pinned." : "."); });
}

// Which values can be asked about, and what to do for it.
void draw_remembering(const FrameContext& context, Commands& commands) {
  if (context.moment.since == Since::looked_again || why_not_asked(context.moment) != nullptr) return;
  const Remember how = context.remembered(context.selected);
  bool on = how != Remember::no;
  if (ImGui::Checkbox(how == Remember::hashes ? "Remember (hashes)###remember" : "Remember###remember", &on))
    commands.push(command::RememberTensor{context.selected, on ? Remember::bytes : Remember::no});
  explain(
      "Copies its bytes into every snapshot from here on: since when it holds NaN, when its values changed and which, and its "
      "values as they were then. Pin one element to ask about that.");
}

void draw_since_when(const FrameContext& context, HistoryPanelState& state, Commands& commands) {
  if (context.history.shown == 0 || context.index == nullptr || context.selected >= context.index->size())
    return draw_wrapped_text(
        "Select a tensor to see since when it has been as it is; Ctrl+click a second one: since when they share memory.",
        context.theme.dim);
  const SinceWhenQuery query{context.history.shown, context.history.kept->revision(), context.history.remembered->revision(),
                             context.selected, context.compared,
                             context.pinned.tensor == context.selected ? context.pinned.element : std::nullopt};
  if (!(query == state.since_asked)) {
    state.since_asked = query;
    commands.push(command::FindSinceWhen{query});
  }
  const HistoryAnswers& answers = *context.history.answers;
  const auto name = [&](std::uint32_t id) {
    return shortened_name(context.index->snapshot->name(context.index->tensor(id)), kNameLength);
  };
  draw_text(context.compared < context.index->size() ? fmt::format("{} and {}", name(context.selected), name(context.compared))
                                                     : name(context.selected),
            context.theme.accent);
  draw_remembering(context, commands);
  if (!(answers.since_query == query) || !answers.since) return draw_text("Looking through the moments …", context.theme.dim);
  for (const SinceWhen& since : answers.since->facts) {
    ImGui::PushID(static_cast<int>(since.fact));
    ImGui::Bullet();
    draw_wrapped_text(since_text(*answers.since, since), context.theme.text);
    explain("Exact for the moments that are kept. What happened between two snapshots is not seen.");
    go_to_moment(context, since, commands);
    if (since.fact == TensorFact::bytes && since.end == SinceWhen::End::different &&
        can_compare(context, context.selected, since.before))
      draw_compare_link(context, context.selected, since.before, commands);
    ImGui::PopID();
  }
}

}  // namespace

void draw_history_panel(const FrameContext& context, HistoryPanelState& state, Commands& commands) {
  state.chips_drawn = state.rows_drawn = 0;
  if (ImGui::Begin(title_of(ActionContext::history))) {
    if (context.history.kept == nullptr || context.history.kept->moments().empty()) {
      draw_wrapped_text(
          "Every snapshot of the tensors is kept here: after each run, at each stop, on request. Go back to one and everything "
          "is shown as it was; compare any two.",
          context.theme.dim);
    } else {
      draw_strip(context, state, commands);
      draw_kept(context);
      if (ImGui::BeginTabBar("history tabs", ImGuiTabBarFlags_DrawSelectedOverline)) {
        if (ImGui::BeginTabItem("Differences")) {
          if (context.history.shown == 0)
            draw_wrapped_text("The tensors shown are those of a file, not a moment of the script.", context.theme.dim);
          else
            draw_moment_differences(context, state, commands);
          ImGui::EndTabItem();
        }
        if (ImGui::BeginTabItem("Since when")) {
          if (ImGui::BeginChild("since")) draw_since_when(context, state, commands);
          ImGui::EndChild();
          ImGui::EndTabItem();
        }
        ImGui::EndTabBar();
      }
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
