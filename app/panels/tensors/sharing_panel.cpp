#include "app/panels/tensors/sharing_panel.h"

#include <imgui.h>

#include <algorithm>

#include "app/models/jobs/budgets.h"
#include "app/models/tensors/sharing_text.h"
#include "app/models/tensors/unpaired.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "core/inventory/relation.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;
constexpr std::size_t kMaxPartners = 50;

void draw_side(const FrameContext& context, std::uint32_t tensor, Commands& commands) {
  tensor_swatch(context, tensor);
  ImGui::SameLine();
  ImGui::PushID(static_cast<int>(tensor));
  const std::string name = shortened_name(context.index->snapshot->name(context.index->tensor(tensor)), kNameLength);
  if (ImGui::Selectable("##side", tensor == context.selected)) commands.push(command::SelectTensor{tensor});
  if (ImGui::IsItemHovered()) commands.push(command::Hover{{.tensor = tensor, .element = {}, .space = {}, .bytes = {}}});
  ImGui::SameLine(0, 0);
  draw_text(name);
  ImGui::PopID();
}

void draw_pair(const FrameContext& context, const core::PairRecord& pair, Commands& commands) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  draw_side(context, pair.a, commands);
  ImGui::TableSetColumnIndex(1);
  draw_text(core::relation_name(pair.relation), shares_bytes(pair)                         ? context.theme.accent
                                                : pair.relation == core::Relation::unknown ? context.theme.unknown
                                                                                           : context.theme.dim);
  explain([&] {
    const core::Snapshot& snapshot = *context.index->snapshot;
    const std::string consequence = consequence_sentence(snapshot, pair, pair.a);
    return consequence_prefix(context, pair.a, pair.b) + relation_sentence(snapshot, pair, pair.a) + " " + consequence;
  });
  ImGui::TableSetColumnIndex(2);
  draw_side(context, pair.b, commands);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::TableSetColumnIndex(3);
  draw_text(pair.shared_bytes == core::kUnknown64 ? "unknown" : human_bytes(pair.shared_bytes));
  ImGui::TableSetColumnIndex(4);
  if (shares_bytes(pair)) {
    const auto& snapshot = *context.index->snapshot;
    draw_text(grouped_address(pair.witness), context.theme.dim);
    explain([&]() -> std::string {
      const auto elements = core::witness_elements(snapshot, pair, budget_per_frame());
      if (!elements) return "The lowest byte that both hold. Which elements it belongs to takes too long to find out.";
      return "Lowest common byte: in element " + index_text(snapshot.layout(context.index->tensor(pair.a)), elements->a) +
             " of the first, " + index_text(snapshot.layout(context.index->tensor(pair.b)), elements->b) + " of the second.";
    });
  }
  ImGui::TableSetColumnIndex(5);
  if (pair.relation != core::Relation::unknown) {
    draw_text(core::overlap_method_name(pair.method), context.theme.dim);
    explain([&] { return method_sentence(*context.index->snapshot, pair); });
  }
  ImGui::PopFont();
}

// --- every pair --------------------------------------------------------------------------------------------------------

void draw_pairs(const FrameContext& context, SharingPanelState& state, Commands& commands) {
  const auto& pairs = context.index->snapshot->pairs;
  if (!state.list_text.empty()) draw_wrapped_text(state.list_text, context.theme.unknown);
  constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                          ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("pairs", 6, kFlags)) return;
  for (const char* title : {"First", "Relation", "Second", "Shared", "Lowest common byte", "Decided by"})
    ImGui::TableSetupColumn(title);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(std::min<std::size_t>(pairs.size(), 1u << 24)),
                ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i, ++state.rows_drawn) {
      ImGui::PushID(i);
      draw_pair(context, pairs[static_cast<std::size_t>(i)], commands);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

// --- the selected tensor ----------------------------------------------------------------------------------------------

void remember(const FrameContext& context, SharingPanelState& state) {
  if (state.generation == context.generation && state.selected == context.selected && state.compared == context.compared) return;
  state.generation = context.generation;
  state.selected = context.selected;
  state.compared = context.compared;
  state.partners = {};
  state.comparison = {};
  const core::Snapshot& snapshot = *context.index->snapshot;
  state.list_text = snapshot.pairs.empty() ? context.index->no_pairs : cut_short_sentence(snapshot);
  if (context.selected == core::kNone32) return;
  state.partners = partners_of_tensor(*context.index, context.selected, kMaxPartners);
  if (context.compared != core::kNone32) state.comparison = compare_tensors(*context.index, context.selected, context.compared);
}

void draw_comparison(const FrameContext& context, const SharingPanelState& state, Commands& commands) {
  ImGui::PushID("comparison");
  tensor_swatch(context, context.selected);
  ImGui::SameLine(0, context.px(2));
  tensor_swatch(context, context.compared);
  ImGui::SameLine();
  const char* const when = consequence_prefix(context, context.selected, context.compared);
  draw_wrapped_text(LineText("{}{}", when, state.comparison.sentence), tone_colour(context.theme, state.comparison.tone));
  if (!state.comparison.detail.empty()) draw_wrapped_text(LineText("{}{}", when, state.comparison.detail), context.theme.dim);
  if (small_button("Stop comparing")) commands.push(command::CompareTensor{core::kNone32});
  ImGui::PopID();
  ImGui::Separator();
}

void draw_partner(const FrameContext& context, const Partner& partner, Commands& commands) {
  ImGui::PushID(static_cast<int>(partner.tensor));
  ImGui::BeginGroup();
  tensor_swatch(context, partner.tensor);
  ImGui::SameLine();
  if (ImGui::TextLink((partner.name + "###partner").c_str())) commands.push(command::SelectTensor{partner.tensor});
  explain("Select it.");
  if (!partner.bytes.empty()) {
    ImGui::SameLine();
    draw_text(partner.bytes, context.theme.dim);
  }
  draw_wrapped_text(partner.sentence,
                    partner.tone == Tone::accent ? context.theme.text : tone_colour(context.theme, partner.tone));
  if (!partner.consequence.empty())
    draw_wrapped_text(LineText("{}{}", consequence_prefix(context, context.selected, partner.tensor), partner.consequence),
                      context.theme.text);
  ImGui::EndGroup();
  if (ImGui::IsItemHovered()) {
    const core::SpaceId space = context.index->tensor(partner.tensor).space;
    commands.push(command::Hover{{.tensor = partner.tensor, .element = {}, .space = space, .bytes = {}}});
  }
  if (!partner.evidence.empty()) {
    draw_wrapped_text(partner.evidence, context.theme.dim);
    ImGui::SameLine(0, context.px(8));
    if (ImGui::GetContentRegionAvail().x < ImGui::GetFontSize() * 4) ImGui::NewLine();
    if (small_button("Pin it")) commands.push(command::Pin{partner.witness});
    if (ImGui::IsItemHovered()) commands.push(command::Hover{partner.witness});
    explain("Every view then shows that byte.");
  }
  if (!partner.method.empty()) draw_wrapped_text(partner.method, context.theme.dim);
  ImGui::Dummy({0, context.px(4)});
  ImGui::PopID();
}

void draw_partners(const FrameContext& context, SharingPanelState& state, Commands& commands) {
  if (!ImGui::BeginChild("partners")) return ImGui::EndChild();
  if (context.compared != core::kNone32) draw_comparison(context, state, commands);
  draw_wrapped_text(state.partners.title, context.theme.dim);
  for (const Partner& partner : state.partners.list) {
    draw_partner(context, partner, commands);
    ++state.rows_drawn;
  }
  if (state.partners.not_listed > 0)
    draw_wrapped_text(
        "And " + counted(state.partners.not_listed, "more, weaker one", "more, weaker ones") + ": All pairs lists them.",
        context.theme.dim);
  ImGui::EndChild();
}

// A switch of two words; the bright one is shown.
void draw_switch(const FrameContext& context, SharingPanelState& state) {
  const auto& pairs = context.index->snapshot->pairs;
  for (const bool all : {false, true}) {
    if (all) ImGui::SameLine();
    const bool on = state.all_pairs == all;
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_Header));
    if (small_button(all ? "All pairs" : "Selected tensor")) state.all_pairs = all;
    if (on) ImGui::PopStyleColor();
  }
  const core::Snapshot& snapshot = *context.index->snapshot;
  const bool is_known = snapshot.info.open_groups == core::UnknownWhy::none || !snapshot.groups.empty();
  if (!is_known) return;  // zeros would be read as a result
  ImGui::SameLine();
  const std::string count =
      counted(pairs.size(), "pair", "pairs") + ", " + counted(context.index->shared_groups, "shared group", "shared groups");
  if (ImGui::CalcTextSize(count.c_str()).x <= ImGui::GetContentRegionAvail().x)
    draw_text(count, context.theme.dim);
  else
    ImGui::NewLine();
}

}  // namespace

void draw_sharing_panel(const FrameContext& context, SharingPanelState& state, Commands& commands) {
  state.rows_drawn = 0;
  if (ImGui::Begin(title_of(ActionContext::sharing))) {
    if (!context.has_tensors()) {
      draw_wrapped_text("Which tensors share bytes will be listed here.", context.theme.dim);
    } else {
      remember(context, state);
      draw_switch(context, state);
      moment_shown(context, moment_text(context, ImGui::GetContentRegionAvail().x));
      if (!state.all_pairs && context.selected != core::kNone32)
        draw_partners(context, state, commands);
      else if (!state.all_pairs)
        draw_wrapped_text("Select a tensor to see which others share bytes with it; Ctrl+click compares it with a second one.",
                          context.theme.dim);
      else if (context.index->snapshot->pairs.empty())
        draw_wrapped_text(state.list_text, context.theme.dim);
      else
        draw_pairs(context, state, commands);
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
