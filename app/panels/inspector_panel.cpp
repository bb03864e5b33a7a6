#include "app/panels/inspector_panel.h"

#include <imgui.h>

#include "app/models/format.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

void draw_header(const FrameContext& context, const Inspection& tensor) {
  group_swatch(context.theme, tensor.colour);
  ImGui::SameLine();
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.15F);
  ImGui::PushTextWrapPos(0.0F);
  copyable(tensor.name, tensor.name, "name");
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  wrapped_words(tensor.type, context.theme.dim);
  wrapped_words(tensor.summary, context.theme.text);
  const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < tensor.badges.size(); ++i) {
    const float width = ImGui::CalcTextSize(tensor.badges[i].text.c_str()).x + context.px(12);
    if (i > 0 && ImGui::GetItemRectMax().x + context.px(4) + width < end) ImGui::SameLine(0, context.px(4));
    badge_chip(context.theme, tensor.badges[i]);
  }
}

// A whole sentence: a link when it leads to another tensor.
void draw_sentence(const FrameContext& context, const Field& field, Commands& commands) {
  if (field.tensor == core::kNone32) {
    ImGui::PushFont(field.code ? context.fonts.mono : nullptr, 0.0F);
    wrapped_words(field.value, tone_colour(context.theme, field.tone));
    ImGui::PopFont();
    if (field.meaning.empty()) return;
  } else {
    group_swatch(context.theme,
                 context.index != nullptr ? context.index->colour_of(context.index->tensor(field.tensor)) : core::kNone32);
    ImGui::SameLine();
    wrapped_words(field.value, tone_colour(context.theme, field.tone));
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      commands.push(command::Hover{{.tensor = field.tensor, .element = {}, .space = {}, .bytes = {}}});
    }
    if (ImGui::IsItemClicked()) commands.push(command::SelectTensor{field.tensor});
    explain(field.evidence + (field.evidence.empty() ? "" : "\n") + "Click: show that tensor.");
  }
  if (!field.meaning.empty()) wrapped_words(field.meaning, context.theme.dim);
}

void draw_field(const FrameContext& context, const InspectorState& state, const Field& field) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  words(field.label, context.theme.dim);
  ImGui::TableSetColumnIndex(1);
  ImGui::PushStyleColor(ImGuiCol_Text, tone_colour(context.theme, field.tone));
  ImGui::PushFont(field.code ? context.fonts.mono : nullptr, 0.0F);
  ImGui::PushTextWrapPos(0.0F);
  copyable(field.value, field.copy.empty() ? field.value : field.copy, "value");
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ImGui::PopStyleColor();
  if (state.show_meanings) {
    if (!field.meaning.empty()) wrapped_words(field.meaning, context.theme.dim);
  } else {
    explain(field.meaning);
  }
}

bool begin_fields() {
  if (!ImGui::BeginTable("fields", 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings)) return false;
  ImGui::TableSetupColumn("field", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 7);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  return true;
}

void draw_section(const FrameContext& context, const InspectorState& state, const Section& section, Commands& commands) {
  ImGui::PushFont(context.fonts.bold, 0.0F);
  const bool open = ImGui::CollapsingHeader(section.title.c_str(), ImGuiTreeNodeFlags_DefaultOpen);
  ImGui::PopFont();
  if (!open) return;
  ImGui::PushID(section.title.c_str());
  if (!section.note.empty()) wrapped_words(section.note, context.theme.dim);
  bool in_table = false;
  for (std::size_t i = 0; i < section.fields.size(); ++i) {
    const Field& field = section.fields[i];
    const bool wants_table = !field.label.empty();
    if (in_table && !wants_table) ImGui::EndTable();
    if (!in_table && wants_table && !begin_fields()) continue;
    in_table = wants_table;
    ImGui::PushID(static_cast<int>(i));
    if (wants_table)
      draw_field(context, state, field);
    else
      draw_sentence(context, field, commands);
    ImGui::PopID();
  }
  if (in_table) ImGui::EndTable();
  ImGui::PopID();
  ImGui::Dummy({0, context.px(4)});
}

}  // namespace

void draw_inspector_panel(const FrameContext& context, InspectorState& state, const Inspection* inspection, Commands& commands) {
  if (ImGui::Begin(kInspectorWindow)) {
    if (inspection == nullptr) {
      wrapped_words(context.has_tensors() ? "Select a tensor, in the table or in the memory map." : "Nothing to inspect yet.",
                    context.theme.dim);
    } else {
      draw_header(context, *inspection);
      ImGui::Checkbox("Plain words", &state.show_meanings);
      explain("Says below each field what it means. Off: the same words are tooltips.");
      for (const Section& section : inspection->sections) draw_section(context, state, section, commands);
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
