#include "app/panels/history/moment_differences.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/history/history_answers.h"
#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/history/compare_link.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kMinRows = 3;
constexpr std::size_t kNameLength = 48;
constexpr auto kRowFlags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;  // a link is drawn on top

void choose_base(const FrameContext& context, HistoryPanelState& state, std::uint64_t base) {
  const MomentHistory& kept = *context.history.kept;
  const auto title = [&](std::uint64_t number) {
    const KeptMomentPtr moment = kept.find(number);
    return moment ? fmt::format("{}, {}", moment->title, moment->time) : std::string();
  };
  ImGui::AlignTextToFramePadding();
  draw_text("Against", context.theme.dim);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  const float room = ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  if (!ImGui::BeginCombo("##base", fit_text(title(base), std::max(0.0F, room), text_width).str().c_str())) return;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(kept.moments().size()));
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const KeptMoment& moment = *kept.moments()[kept.moments().size() - 1 - static_cast<std::size_t>(row)];  // newest first
      ImGui::PushID(row);
      ImGui::BeginDisabled(moment.number == context.history.shown);
      if (ImGui::Selectable(title(moment.number).c_str(), moment.number == base)) state.base = moment.number;
      ImGui::EndDisabled();
      ImGui::PopID();
    }
  }
  ImGui::EndCombo();
}

// Every new index (the next run's, the way back to now) is marked anew where its marks are not what the box says; once, because
// that takes a job.
void mark_table(const FrameContext& context, HistoryPanelState& state, std::uint64_t base, Commands& commands) {
  const bool later = context.history.shown != 0 && base > context.history.shown;
  ImGui::BeginDisabled(later);
  ImGui::Checkbox("Marks in the table", &state.marks);
  ImGui::EndDisabled();
  if (later)
    explain("The table's marks say what became different since an earlier moment, and the one compared with is later.");
  else
    explain(
        "The marks at the names of the table (+ new, ≠ changed, → moved, × gone) say what is different from that moment. Off: "
        "from the run before.");
  const std::uint64_t wanted = state.marks && !later ? base : 0;
  if (context.history.marked_against == wanted) return;
  if (std::exchange(state.marks_asked, {context.generation, wanted}) == std::pair(context.generation, wanted)) return;
  commands.push(command::MarkAgainst{wanted});
}

// A switch for each kind of difference that exists.
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

const std::string& row_text(HistoryPanelState& state, const SnapshotDifferences& all, std::uint32_t row) {
  if (std::exchange(state.texts_of, &all) != &all) state.row_texts.clear();
  const auto [found, made] = state.row_texts.try_emplace(row);
  if (made) found->second = difference_text(all, all.tensors[row]);
  return found->second;
}

std::string kinds_of(const TensorDifference& one) {
  std::string out;
  for (std::size_t i = 0; i < kChanges; ++i) {
    if (one.changes[i]) out += (out.empty() ? "" : ", ") + std::string(change_word(static_cast<Change>(i)));
  }
  return out;
}

std::size_t lines_of(std::string_view text, float width) {
  const float height = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, width).y;
  return static_cast<std::size_t>(std::lround(height / ImGui::GetTextLineHeight()));
}

// The moment that is not shown, if its bytes can be compared with the shown ones; 0: they cannot.
std::uint64_t moment_to_compare(const FrameContext& context, const SnapshotDifferences& all, const TensorDifference& one) {
  if (!one.changes[static_cast<std::size_t>(Change::bytes)]) return 0;
  const bool shows_now = context.history.shown == all.now->number;
  if (!shows_now && context.history.shown != all.before->number) return 0;
  const std::uint64_t moment = shows_now ? all.before->number : all.now->number;
  return can_compare(context, shows_now ? one.now : one.before, moment) ? moment : 0;
}

// The kinds of change; below them the details, wrapped.
void draw_row(const FrameContext& context, HistoryPanelState& state, const SnapshotDifferences& all, std::size_t place,
              std::uint32_t row, Commands& commands) {
  const TensorDifference& one = all.tensors[row];
  const bool listed = one.now != core::kNone32 && context.index != nullptr && context.history.shown == all.now->number;
  const bool selected = listed && one.now == context.selected;
  const std::string name = shortened_name(name_of(all, one), kNameLength), kinds = kinds_of(one);
  const std::string& said = row_text(state, all, row);
  const std::uint64_t compared = moment_to_compare(context, all, one);
  const float line = ImGui::GetTextLineHeight();
  ImGui::TableNextRow();
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0,
                         ImGui::GetColorU32(place % 2 == 0 ? ImGuiCol_TableRowBg : ImGuiCol_TableRowBgAlt));
  ImGui::TableSetColumnIndex(1);
  const float width = state.differences_width = ImGui::GetContentRegionAvail().x;
  ImGui::TableSetColumnIndex(0);
  ImGui::PushID(static_cast<int>(row));
  const float gap = ImGui::GetFontSize();
  const bool beside = ImGui::CalcTextSize(kinds.c_str()).x + gap + compare_link_width() <= width;  // the link fits there
  const std::size_t lines = std::max(lines_of(name, ImGui::GetContentRegionAvail().x),
                                     lines_of(kinds, width) + lines_of(said, width) + (compared != 0 && !beside ? 1 : 0));
  state.rows.measured(place, lines);
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  const float height = static_cast<float>(state.rows.lines_of(place)) * line;
  if (ImGui::Selectable("##row", selected, kRowFlags, {0, height}) && listed)
    commands.push(command::SelectTensor{one.now});
  explain([&] { return fmt::format("{}\n{}\n{}", name_of(all, one), kinds, said); });
  ImGui::SetCursorPos(at);
  draw_wrapped_text(name, listed ? context.theme.accent : context.theme.text);
  ImGui::TableSetColumnIndex(1);
  draw_wrapped_text(kinds, context.theme.text);
  if (compared != 0) {
    if (beside) ImGui::SameLine(0, gap);
    draw_compare_link(context, compared < context.history.shown ? one.now : one.before, compared, commands);
  }
  draw_wrapped_text(said, context.theme.dim);
  ImGui::PopStyleVar();
  ImGui::PopID();
  ++state.rows_drawn;
}

// Rows are as high as their text; rows off the screen only reserve space.
void draw_rows(const FrameContext& context, HistoryPanelState& state, const HistoryAnswers& answers, Commands& commands) {
  constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV;
  const float line = ImGui::GetTextLineHeight(), gap = 2 * ImGui::GetStyle().CellPadding.y;
  // At least a few rows high: in a panel that is lower, the panel scrolls.
  const float height = std::max(ImGui::GetContentRegionAvail().y, (2 * line + gap) * kMinRows);
  if (!ImGui::BeginTable("differences", 2, kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch, 0.35F);
  ImGui::TableSetupColumn("Different", ImGuiTableColumnFlags_WidthStretch, 0.65F);
  ImGui::TableHeadersRow();
  WrappedRows& rows = state.rows;
  rows.show(answers.rows->size(), state.differences_width, answers.rows.get());
  const float top = ImGui::GetScrollY(), bottom = top + ImGui::GetWindowHeight();
  WrappedRows::Place place = rows.at(top, line, gap);
  if (place.top > 0) ImGui::TableNextRow(ImGuiTableRowFlags_None, place.top);
  for (; place.row < rows.rows() && place.top < bottom; ++place.row) {
    draw_row(context, state, *answers.differences, place.row, (*answers.rows)[place.row], commands);
    place.top += static_cast<float>(rows.lines_of(place.row)) * line + gap;
  }
  const float left = rows.height(line, gap) - place.top;
  if (left > 0) ImGui::TableNextRow(ImGuiTableRowFlags_None, left);
  ImGui::EndTable();
}

}  // namespace

std::uint64_t compared_with(const FrameContext& context, const HistoryPanelState& state) {
  const HistoryView& history = context.history;
  const bool chosen = state.base != 0 && state.base != history.shown && history.kept->find(state.base) != nullptr;
  if (chosen) return state.base;
  return history.earlier != 0 ? history.earlier : history.later;
}

void draw_moment_differences(const FrameContext& context, HistoryPanelState& state, Commands& commands) {
  const std::uint64_t base = compared_with(context, state);
  if (base == 0) return draw_wrapped_text("There is no earlier moment to compare with.", context.theme.dim);
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
  if (!of_these) return draw_text("Comparing …", context.theme.dim);
  const SnapshotDifferences& all = *answers.differences;
  const std::string& sentence = state.sentence.get(&all, [&](std::string& out) { out = differences_sentence(all); });
  draw_kinds(state, all);
  if (all.tensors.empty() || all.sharing_unknown > 0 || !all.same_process) draw_wrapped_text(sentence, context.theme.dim);
  draw_wrapped_text(state.compared.get(&all, [&](std::string& out) { out = compared_sentence(all); }),
                    all.values_not_compared > 0 ? context.theme.warn : context.theme.dim);
  if (!answers.rows->empty())
    draw_rows(context, state, answers, commands);
  else if (!all.tensors.empty())
    draw_text("No row passes the filter.", context.theme.dim);
}

}  // namespace dlscope::app
