#include "app/panels/history/history_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/models/focus/focus_words.h"
#include "app/models/history/remembered_changes.h"
#include "app/models/text/format.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kChipEm = 6.5F, kLeastRows = 5;
constexpr std::size_t kNameLength = 48, kMostRemembered = 12;

// The moment that the shown one is compared with: as chosen, else the one before, else the one after. 0: it is the only one.
std::uint64_t base_of(const FrameContext& context, const HistoryPanelState& state) {
  const HistoryView& history = context.history;
  const bool chosen = state.base != 0 && state.base != history.shown && history.kept->find(state.base) != nullptr;
  if (chosen) return state.base;
  return history.earlier != 0 ? history.earlier : history.later;
}

// --- the strip ----------------------------------------------------------------------------------------------------------

// What of its tensors' bytes was kept; "" where nothing was remembered.
std::string remembered_words(const RememberedMomentPtr& kept) {
  if (!kept) return {};
  std::string out;
  std::size_t listed = 0;
  for (const RememberedTensor& tensor : kept->tensors) {
    if (++listed > kMostRemembered) return fmt::format("{}\n… and {} more", out, kept->tensors.size() - kMostRemembered);
    out += fmt::format("\n● {}: ", shortened(tensor.name, kNameLength));
    if (!tensor.why_not.empty())
      out += "not kept, because " + tensor.why_not;
    else if (tensor.hashes)
      out += "hashes of its blocks";
    else
      out += human_bytes(tensor.bytes->size()) + (tensor.values.method == core::StatisticsMethod::exact ? ", " + specials_words(tensor.values) : "");
    if (tensor.ran != RanMeanwhile::no) out += fmt::format(", {}", ran_words(tensor.ran));
  }
  return "\nRemembered:" + out;
}

std::string chip_meaning(const KeptMoment& moment, const RememberedMomentPtr& kept) {
  return fmt::format(
      "{}, {}\n{}, {} of records; those that are the same in other moments are kept once.{}\nClick: look back at it. Ctrl+click or right "
      "click: compare with it (≠).",
      moment.title, moment.time, counted(moment.tensors, "tensor", "tensors"), human_bytes(moment.record_bytes), remembered_words(kept));
}

void draw_chip(const FrameContext& context, HistoryPanelState& state, const KeptMoment& moment, ImVec2 size, Commands& commands) {
  const HistoryView& history = context.history;
  const bool shown = moment.number == history.shown, base = moment.number == base_of(context, state);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(moment.number));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});  // a selectable fills the space around it
  const bool clicked = ImGui::Selectable("##moment", shown, ImGuiSelectableFlags_None, {size.x - context.px(2), size.y});
  ImGui::PopStyleVar();
  const bool wants_base = (clicked && ImGui::GetIO().KeyCtrl) || ImGui::IsItemClicked(ImGuiMouseButton_Right);
  if (wants_base)
    state.base = moment.number;
  else if (clicked)
    commands.push(command::LookAt{moment.number});
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

// As many chips as are on the screen, all of one width.
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
    const LineText said("Remembered bytes: {} of at most {}; those of {} were dropped", human_bytes(bytes.bytes()), human_bytes(bytes.most_bytes()),
                        counted(bytes.dropped(), "older moment", "older moments"));
    wrapped_words(said.view(), context.theme.warn);
  }
  if (kept.given_up() == 0) return;  // a panel is small: the tooltip of a moment says what it takes
  const LineText said("{} older {} dropped: {} kept, {} of at most {}", grouped(kept.given_up()),
                      kept.given_up() == 1 ? "moment was" : "moments were", kept.moments().size(), human_bytes(kept.bytes()),
                      human_bytes(kept.most_bytes()));
  wrapped_words(said.view(), context.theme.warn);
  explain(
      "Every look at the tensors is kept: after a run, at a stop, on request. Kept are the descriptions, and the bytes of "
      "remembered tensors. "
      "When they take more than that, the oldest are dropped.");
}

// --- what is different --------------------------------------------------------------------------------------------------

void choose_base(const FrameContext& context, HistoryPanelState& state, std::uint64_t base) {
  const MomentHistory& kept = *context.history.kept;
  const auto title = [&](std::uint64_t number) {
    const KeptMomentPtr moment = kept.find(number);
    return moment ? fmt::format("{}, {}", moment->title, moment->time) : std::string();
  };
  ImGui::AlignTextToFramePadding();
  words("Against", context.theme.dim);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##base", title(base).c_str())) return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(kept.moments().size()));
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const KeptMoment& moment = *kept.moments()[kept.moments().size() - 1 - static_cast<std::size_t>(row)];  // the newest first
      ImGui::PushID(row);
      ImGui::BeginDisabled(moment.number == context.history.shown);
      if (ImGui::Selectable(title(moment.number).c_str(), moment.number == base)) state.base = moment.number;
      ImGui::EndDisabled();
      ImGui::PopID();
    }
  }
  ImGui::EndCombo();
}

void mark_table(const FrameContext& context, HistoryPanelState& state, std::uint64_t base, Commands& commands) {
  if (ImGui::Checkbox("Marks in the table", &state.marks) && !state.marks) commands.push(command::MarkAgainst{});
  explain(
      "The marks at the names of the table (+ new, ≠ changed, → moved, × gone) say what is different from that moment. Off: from "
      "the run before.");
  if (state.marks && context.history.marked_against != base) commands.push(command::MarkAgainst{base});
}

// The kinds there are, each a switch.
void draw_kinds(HistoryPanelState& state, const SnapshotDifferences& all) {
  bool first = true;
  for (std::size_t i = 0; i < kChanges; ++i) {
    if (all.counts[i] == 0) continue;
    const auto change = static_cast<Change>(i);
    const LineText label("{} {}###{}", change_word(change), grouped(all.counts[i]), change_word(change));
    const LineText seen("{} {}", change_word(change), grouped(all.counts[i]));
    if (!first) same_line_for(button_width(seen.c_str()));
    first = false;
    const bool on = state.wanted[i];
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_Header));
    if (small_button(label.c_str())) state.wanted.flip(i);
    if (on) ImGui::PopStyleColor();
    explain([&] { return std::string(change_meaning(change)) + "\nClick: only these, or all again."; });
  }
}

const std::string& row_words(HistoryPanelState& state, const SnapshotDifferences& all, std::uint32_t row) {
  if (std::exchange(state.words_of, &all) != &all) state.words.clear();
  const auto [found, made] = state.words.try_emplace(row);
  if (made) found->second = difference_words(all, all.tensors[row]);
  return found->second;
}

std::string kinds_of(const TensorDifference& one) {
  std::string out;
  for (std::size_t i = 0; i < kChanges; ++i) {
    if (one.changes[i]) out += (out.empty() ? "" : ", ") + std::string(change_word(static_cast<Change>(i)));
  }
  return out;
}

void draw_row(const FrameContext& context, HistoryPanelState& state, const SnapshotDifferences& all, std::uint32_t row,
              Commands& commands) {
  const TensorDifference& one = all.tensors[row];
  const bool listed = one.now != core::kNone32 && context.index != nullptr && context.history.shown == all.now->number;
  const bool selected = listed && one.now == context.selected;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(row));
  const std::string name = shortened(name_of(all, one), kNameLength);
  if (ImGui::Selectable("##row", selected, ImGuiSelectableFlags_SpanAllColumns) && listed)
    commands.push(command::SelectTensor{one.now});
  const std::string& said = row_words(state, all, row);
  explain([&] { return fmt::format("{}\n{}\n{}", name_of(all, one), kinds_of(one), said); });
  ImGui::SameLine(0, 0);
  words(name, listed ? context.theme.accent : context.theme.text);
  ImGui::TableNextColumn();
  words(kinds_of(one), context.theme.dim);
  ImGui::TableNextColumn();
  words(said, context.theme.text);
  ImGui::PopID();
  ++state.rows_drawn;
}

void draw_rows(const FrameContext& context, HistoryPanelState& state, const HistoryAnswers& answers, Commands& commands) {
  constexpr auto kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV;
  // Never less than a few rows: a panel too low for them scrolls.
  const float height = std::max(ImGui::GetContentRegionAvail().y, ImGui::GetTextLineHeightWithSpacing() * kLeastRows);
  if (!ImGui::BeginTable("differences", 3, kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch, 0.28F);
  ImGui::TableSetupColumn("Different", ImGuiTableColumnFlags_WidthStretch, 0.22F);
  ImGui::TableSetupColumn("How", ImGuiTableColumnFlags_WidthStretch, 0.5F);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(std::min<std::size_t>(answers.rows->size(), 10'000'000)));
  while (clipper.Step()) {
    for (int line = clipper.DisplayStart; line < clipper.DisplayEnd; ++line)
      draw_row(context, state, *answers.differences, (*answers.rows)[static_cast<std::size_t>(line)], commands);
  }
  ImGui::EndTable();
}

void draw_differences(const FrameContext& context, HistoryPanelState& state, Commands& commands) {
  const std::uint64_t base = base_of(context, state);
  if (base == 0) return wrapped_words("There is no earlier moment to compare with.", context.theme.dim);
  choose_base(context, state, base);
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 10);
  ImGui::InputTextWithHint("##filter", "Filter: part of a name", &state.filter, ImGuiInputTextFlags_EscapeClearsAll);
  same_line_for(button_width("Marks in the table") + ImGui::GetFrameHeight());
  mark_table(context, state, base, commands);
  const DifferenceQuery query{std::min(base, context.history.shown), std::max(base, context.history.shown),
                              context.history.remembered->revision(), state.wanted, state.filter};
  const HistoryAnswers& answers = *context.history.answers;
  if (!(query == state.asked) && query.now != 0) {
    state.asked = query;
    commands.push(command::FindDifferences{query});
  }
  const bool of_these =
      answers.differences && answers.difference_query.before == query.before && answers.difference_query.now == query.now;
  if (!of_these) return words("Comparing …", context.theme.dim);
  const SnapshotDifferences& all = *answers.differences;
  const std::string& sentence = state.sentence.get(&all, [&](std::string& out) { out = differences_sentence(all); });
  draw_kinds(state, all);
  if (all.tensors.empty() || all.sharing_unknown > 0 || !all.same_process) wrapped_words(sentence, context.theme.dim);
  if (!answers.rows->empty())
    draw_rows(context, state, answers, commands);
  else if (!all.tensors.empty())
    words("No row passes the filter.", context.theme.dim);
}

// --- since when ---------------------------------------------------------------------------------------------------------

// The first moment of it, with the element where it is to be seen.
void go_to_moment(const FrameContext& context, const SinceWhen& since, Commands& commands) {
  const bool elsewhere = since.first != context.history.shown && context.history.kept->find(since.first) != nullptr;
  if (!elsewhere && !since.element) return;
  if (small_button(elsewhere ? "Go there" : "Show the element")) {
    if (since.element) commands.push(command::Pin{focus_on(*context.index, context.selected, *since.element)});
    if (elsewhere) commands.push(command::LookAt{since.first});
  }
  explain([&] { return "Shows " + since.first_words + (since.element ? ", with the element pinned." : "."); });
}

// What may be asked of the values, and what has to be done for it.
void draw_remembering(const FrameContext& context, Commands& commands) {
  if (context.moment.since == Since::looked_again || why_not_asked(context.moment) != nullptr) return;
  const Remember how = context.remembered(context.selected);
  bool on = how != Remember::no;
  if (ImGui::Checkbox(how == Remember::hashes ? "Remember (hashes)###remember" : "Remember###remember", &on))
    commands.push(command::RememberTensor{context.selected, on ? Remember::bytes : Remember::no});
  explain(
      "Copies its bytes at every look from here on: since when it holds NaN, when its values changed and which, and its values as they "
      "were then. Pin one element to ask about that.");
}

void draw_since_when(const FrameContext& context, HistoryPanelState& state, Commands& commands) {
  if (context.history.shown == 0 || context.index == nullptr || context.selected >= context.index->size())
    return wrapped_words("Select a tensor to see since when it is as it is; Ctrl+click a second one: since when they share.",
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
    return shortened(context.index->snapshot->name(context.index->tensor(id)), kNameLength);
  };
  words(context.compared < context.index->size() ? fmt::format("{} and {}", name(context.selected), name(context.compared))
                                                 : name(context.selected),
        context.theme.accent);
  draw_remembering(context, commands);
  if (!(answers.since_query == query) || !answers.since) return words("Looking through the moments …", context.theme.dim);
  for (const SinceWhen& since : answers.since->facts) {
    ImGui::PushID(static_cast<int>(since.fact));
    ImGui::Bullet();
    wrapped_words(since_words(*answers.since, since), context.theme.text);
    explain("Exact for the moments that are kept. What happened between two looks is not seen.");
    go_to_moment(context, since, commands);
    ImGui::PopID();
  }
}

}  // namespace

void draw_history_panel(const FrameContext& context, HistoryPanelState& state, Commands& commands) {
  state.chips_drawn = state.rows_drawn = 0;
  if (ImGui::Begin(title_of(ActionContext::history))) {
    if (context.history.kept == nullptr || context.history.kept->moments().empty()) {
      wrapped_words(
          "Every look at the tensors is kept here: after each run, at each stop, on request. Go back to one and everything is "
          "shown "
          "as it was; compare any two.",
          context.theme.dim);
    } else {
      draw_strip(context, state, commands);
      draw_kept(context);
      if (ImGui::BeginTabBar("history tabs", ImGuiTabBarFlags_DrawSelectedOverline)) {
        if (ImGui::BeginTabItem("Differences")) {
          if (context.history.shown == 0)
            wrapped_words("The tensors shown are those of a file: no moment of the script.", context.theme.dim);
          else
            draw_differences(context, state, commands);
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
