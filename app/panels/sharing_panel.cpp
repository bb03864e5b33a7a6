#include "app/panels/sharing_panel.h"

#include <imgui.h>

#include <algorithm>

#include "app/models/format.h"
#include "app/models/sharing_words.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kNameLength = 40;

void draw_side(const FrameContext& context, std::uint32_t tensor, Commands& commands) {
  group_swatch(context.theme, context.index->colour_of(context.index->tensor(tensor)));
  ImGui::SameLine();
  ImGui::PushID(static_cast<int>(tensor));
  const std::string name = shortened(context.index->snapshot->name(context.index->tensor(tensor)), kNameLength);
  if (ImGui::Selectable("##side", tensor == context.selected)) commands.push(command::SelectTensor{tensor});
  if (ImGui::IsItemHovered()) commands.push(command::Hover{{.tensor = tensor, .element = {}, .space = {}, .bytes = {}}});
  ImGui::SameLine(0, 0);
  words(name);
  ImGui::PopID();
}

void draw_pair(const FrameContext& context, const core::PairRecord& pair, Commands& commands) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  draw_side(context, pair.a, commands);
  ImGui::TableSetColumnIndex(1);
  words(core::relation_name(pair.relation), shares_bytes(pair)                         ? context.theme.accent
                                            : pair.relation == core::Relation::unknown ? context.theme.unknown
                                                                                       : context.theme.dim);
  explain(relation_sentence(*context.index->snapshot, pair, pair.a) + " " +
          consequence_sentence(*context.index->snapshot, pair, pair.a));
  ImGui::TableSetColumnIndex(2);
  draw_side(context, pair.b, commands);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  ImGui::TableSetColumnIndex(3);
  words(pair.shared_bytes == core::kUnknown64 ? "unknown" : human_bytes(pair.shared_bytes));
  ImGui::TableSetColumnIndex(4);
  if (shares_bytes(pair)) {
    const auto& snapshot = *context.index->snapshot;
    words(grouped_address(pair.witness), context.theme.dim);
    explain("Lowest common byte: in element " + index_text(snapshot.layout(context.index->tensor(pair.a)), pair.a_flat) +
            " of the first, " + index_text(snapshot.layout(context.index->tensor(pair.b)), pair.b_flat) + " of the second.");
  }
  ImGui::TableSetColumnIndex(5);
  words(core::overlap_method_name(pair.method), context.theme.dim);
  explain(method_sentence(pair.method));
  ImGui::PopFont();
}

void draw_pairs(const FrameContext& context, SharingPanelState& state, Commands& commands) {
  const auto& pairs = context.index->snapshot->pairs;
  words(counted(pairs.size(), "pair", "pairs") + " of tensors meet in memory, in " +
            counted(context.index->shared_groups, "shared group", "shared groups") + ".",
        context.theme.dim);
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

}  // namespace

void draw_sharing_panel(const FrameContext& context, SharingPanelState& state, Commands& commands) {
  state.rows_drawn = 0;
  if (ImGui::Begin(kSharingWindow)) {
    if (!context.has_tensors())
      wrapped_words("Which tensors share bytes will be listed here.", context.theme.dim);
    else if (context.index->snapshot->pairs.empty())
      wrapped_words("No two listed tensors meet in memory.", context.theme.dim);
    else
      draw_pairs(context, state, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
