#include "app/panels/inspector/inspector_panel.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/models/host/act_refusal.h"
#include "app/models/host/moment_text.h"
#include "app/models/layout/touch_counts.h"
#include "app/models/text/format.h"
#include "app/panels/inspector/axis_entries.h"
#include "app/panels/slice_field.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/tooltip.h"

namespace dlscope::app {
namespace {

// em: from this width on, bytes are beside the value, else below it
constexpr float kWideEm = 44;

void draw_header(const FrameContext& context, const Inspection& tensor) {
  const bool known = context.index != nullptr && tensor.tensor < context.index->size();
  group_swatch(context.theme, tensor.colour, known && may_be_anothers(context.state_of(tensor.tensor)));
  ImGui::SameLine();
  ImGui::PushFont(context.fonts.bold, ImGui::GetStyle().FontSizeBase * 1.15F);
  ImGui::PushTextWrapPos(0.0F);
  copyable(tensor.name, tensor.name, "name");
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  if (known) draw_owner(context, owner_beside_name(context, *context.index->snapshot, context.index->tensor(tensor.tensor)));
  draw_wrapped_text(tensor.type, context.theme.dim);
  draw_wrapped_text(tensor.summary, context.theme.text);
  if (known) {
    const TensorState state = context.state_of(tensor.tensor);
    const std::string moment = moment_description(context.moment, context.host), held = state == TensorState::held ? ", held" : "";
    if (!moment.empty()) draw_wrapped_text(moment + held, state_colour(context, state));
    explain([&] { return state_meaning(context.moment, state, context.index->tensor(tensor.tensor).is_copied); });
  }
  const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < tensor.badges.size(); ++i) {
    const float width = ImGui::CalcTextSize(tensor.badges[i].text.c_str()).x + context.px(12);
    if (i > 0 && ImGui::GetItemRectMax().x + context.px(4) + width < end) ImGui::SameLine(0, context.px(4));
    badge_chip(context.theme, tensor.badges[i]);
  }
}

// What follows from the sentence, as of when the tensors it is about were seen.
std::string meaning_of_sentence(const FrameContext& context, const Field& field) {
  if (field.meaning.empty() || field.tensor == core::kNone32 || context.selected == core::kNone32) return field.meaning;
  return consequence_prefix(context, context.selected, field.tensor) + field.meaning;
}

// A whole sentence, as a link when it leads to another tensor.
// next: a consequence that it has in common with this sentence is written once, after the last one.
void draw_sentence(const FrameContext& context, InspectorState& state, const Field& field, const Field* next,
                   Commands& commands) {
  if (field.tensor == core::kNone32) {
    ImGui::PushFont(field.code ? context.fonts.mono : nullptr, 0.0F);
    draw_wrapped_text(field.value, tone_colour(context.theme, field.tone));
    ImGui::PopFont();
    if (ImGui::IsItemHovered()) state.under_mouse = field.value;
  } else {
    if (context.index != nullptr)
      tensor_swatch(context, field.tensor);
    else
      group_swatch(context.theme, core::kNone32);
    ImGui::SameLine();
    draw_wrapped_text(field.value, tone_colour(context.theme, field.tone));
    if (ImGui::IsItemHovered()) {
      state.under_mouse = field.value;
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      commands.push(command::Hover{{.tensor = field.tensor, .element = {}, .space = {}, .bytes = {}}});
    }
    if (ImGui::IsItemClicked()) commands.push(command::SelectTensor{field.tensor});
    explain([&] { return field.evidence + (field.evidence.empty() ? "" : "\n") + "Click: show that tensor."; });
  }
  const std::string meaning = meaning_of_sentence(context, field);
  const bool is_last = next == nullptr || meaning_of_sentence(context, *next) != meaning;
  if (!meaning.empty() && is_last) draw_wrapped_text(meaning, context.theme.dim);
}

void draw_bytes(const FrameContext& context, const Field& field) {
  if (field.bytes.empty()) return;
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * 0.92F);
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.dim);
  ImGui::PushTextWrapPos(0.0F);
  const std::size_t bytes_begin = field.bytes.starts_with('+') ? std::min(field.bytes.find(' '), field.bytes.size()) : 0;
  copyable(field.bytes, field.bytes.substr(field.bytes.find_first_not_of(' ', bytes_begin)), "bytes");
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered() && tooltip_is_due()) show_tooltip(field.bytes_meaning);
  ImGui::PopFont();
}

// The value and, at the end of its line, the button that copies it: reachable by keyboard, visible on hover. Returns the axis
// whose entry is under the mouse, for a value with one entry per axis.
std::optional<int> draw_value(const FrameContext& context, InspectorState& state, const Field& field) {
  const std::string& copy = field.copy.empty() ? field.value : field.copy;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float local = ImGui::GetCursorPosX();
  const float button = ImGui::CalcTextSize("copy").x + ImGui::GetStyle().FramePadding.x * 2;
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 row_from{from.x - context.px(120), from.y}, row_to{from.x + width, from.y + ImGui::GetTextLineHeight()};
  const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(row_from, row_to);
  if (over) state.under_mouse = copy;
  ImGui::SetCursorScreenPos({from.x + std::max(0.0F, width - button), from.y});
  ImGui::PushStyleColor(ImGuiCol_Text, over ? context.theme.accent : ImVec4{0, 0, 0, 0});
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4{0, 0, 0, 0});
  if (small_button("copy")) ImGui::SetClipboardText(copy.c_str());
  ImGui::PopStyleColor(2);
  ImGui::SetCursorScreenPos(from);
  ImGui::PushStyleColor(ImGuiCol_Text, tone_colour(context.theme, field.tone));
  ImGui::PushFont(field.code ? context.fonts.mono : nullptr, 0.0F);
  const float wrap_at = local + std::max(button, width - button);
  std::optional<int> axis;
  ImGui::PushTextWrapPos(wrap_at);
  if (field.per_axis)
    axis = draw_axis_entries(field.value, copy, wrap_at, context.lit_axis(), context.theme);
  else
    copyable(field.value, copy, "value");
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
  ImGui::PopStyleColor();
  return axis;
}

// The distance of the focused bytes from that address, on the same line, so that nothing below moves.
void draw_distance(const FrameContext& context, InspectorState& state, core::Address base) {
  const Focus& focus = context.hover;
  if (!focus.element || focus.bytes.empty() || context.index == nullptr || context.selected >= context.index->size()) return;
  const core::TensorRecord& shown = context.index->tensor(context.selected);
  if (focus.space != shown.space || !shown.extent.meets(focus.bytes)) return;
  const auto distance = static_cast<std::int64_t>(focus.bytes.begin - base);
  ImGui::SameLine();
  ImGui::PushFont(context.fonts.mono, 0.0F);
  draw_text(LineText("{} {} B", distance < 0 ? "-" : "+",
                     distance < 0 ? 0 - static_cast<std::uint64_t>(distance) : static_cast<std::uint64_t>(distance)),
            context.theme.accent);
  ImGui::PopFont();
  state.lit = focus.bytes;
}

void draw_field(const FrameContext& context, InspectorState& state, const Field& field, bool wide, Commands& commands) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  const float top = ImGui::GetCursorScreenPos().y;
  draw_wrapped_text(field.label, context.theme.dim);
  ImGui::TableSetColumnIndex(1);
  const float left = ImGui::GetCursorScreenPos().x;
  const std::optional<int> axis = draw_value(context, state, field);
  if (field.base) draw_distance(context, state, *field.base);
  if (!wide) draw_bytes(context, field);
  if (state.show_meanings) {
    if (!field.meaning.empty()) draw_wrapped_text(field.meaning, context.theme.dim);
  }
  const float bottom = ImGui::GetCursorScreenPos().y;
  const float right = left + ImGui::GetContentRegionAvail().x;
  const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({left - context.px(120), top}, {right, bottom});
  if (over && field.lights) {
    Focus lit = *field.lights;
    lit.axis = axis.value_or(-1);
    commands.push(command::Hover{lit});
  }
  if (over) note_meaning(field.meaning);
  if (!state.show_meanings && over && ImGui::IsItemHovered() && tooltip_is_due()) show_tooltip(field.meaning);
  if (wide) {
    ImGui::TableSetColumnIndex(2);
    draw_bytes(context, field);
  }
}

bool begin_fields(bool wide) {
  if (!ImGui::BeginTable("fields", wide ? 3 : 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings)) return false;
  ImGui::TableSetupColumn("field", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 7);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 1.0F);
  if (wide) ImGui::TableSetupColumn("bytes", ImGuiTableColumnFlags_WidthStretch, 0.9F);
  return true;
}

void draw_fields(const FrameContext& context, InspectorState& state, const Section& section, Commands& commands) {
  const bool has_bytes = std::ranges::any_of(section.fields, [](const Field& field) { return !field.bytes.empty(); });
  const bool wide = has_bytes && ImGui::GetContentRegionAvail().x > ImGui::GetFontSize() * kWideEm;
  bool in_table = false;
  for (std::size_t i = 0; i < section.fields.size(); ++i) {
    const Field& field = section.fields[i];
    const bool wants_table = !field.label.empty();
    if (in_table && !wants_table) ImGui::EndTable();
    if (!in_table && wants_table && !begin_fields(wide)) continue;
    in_table = wants_table;
    ImGui::PushID(static_cast<int>(i));
    if (wants_table)
      draw_field(context, state, field, wide, commands);
    else
      draw_sentence(context, state, field, i + 1 < section.fields.size() ? &section.fields[i + 1] : nullptr, commands);
    ImGui::PopID();
  }
  if (in_table) ImGui::EndTable();
}

// What can be done with the tensor, each as a button for the action of that name.
void draw_acts(const FrameContext& context, Commands& commands) {
  const char* const why_not = why_not_acted(context.moment, context.host);
  if (const std::string slice = slice_in_brackets(context); !slice.empty())
    draw_wrapped_text("The slice " + slice + " is handed over, copied and converted; memory is held as a whole.",
                      context.theme.dim);
  constexpr std::pair<const char*, ActionId> kButtons[] = {{"Hand over …", ActionId::exchange_selected},
                                                           {"Contiguous copy", ActionId::copy_selected},
                                                           {"Convert …", ActionId::convert_selected},
                                                           {"Prove …", ActionId::prove_add},
                                                           {"Hold", ActionId::memory_hold},
                                                           {"Hold while code runs", ActionId::memory_pin},
                                                           {"Release", ActionId::memory_release}};
  for (const auto& [label, asked] : kButtons) {
    if (asked == ActionId::memory_release && !context.held.contains(context.selected)) continue;
    if (asked != ActionId::exchange_selected) same_line_for(button_width(label));
    ImGui::BeginDisabled(why_not != nullptr);
    if (small_button(label)) commands.push(command::Ask{asked});
    ImGui::EndDisabled();
    explain([&] {
      const Action& row = action(asked);
      if (why_not != nullptr) return std::string(why_not);
      return *row.meaning == '\0' ? std::string(row.title) : fmt::format("{}. {}", row.title, row.meaning);
    });
  }
}

// Whether its bytes are kept at every scan; in a past moment, whether they were kept.
void draw_remember(const FrameContext& context, Commands& commands) {
  if (context.moment.since == Since::looked_again) {
    const TensorState state = context.state_of(context.selected);
    return draw_wrapped_text(state == TensorState::remembered ? state_meaning(context.moment, state) : std::string(kSeenThen),
                             context.theme.dim);
  }
  if (why_not_asked(context.moment) != nullptr) return;
  const Remember how = context.remembered(context.selected);
  bool on = how != Remember::no;
  if (ImGui::Checkbox(how == Remember::hashes ? "Remember (hashes)###remember" : "Remember###remember", &on))
    commands.push(command::RememberTensor{context.selected, on ? Remember::bytes : Remember::no});
  explain(action(ActionId::memory_remember).meaning);
}

void draw_section_actions(InspectorState& state, const Section& section) {
  if (section.action == SectionAction::describe_anyway) {
    if (small_button("Describe anyway")) state.answers.ask_again(true);
    explain("Asks the object despite that, because you say so. What it does is described above.");
  }
  if (section.action == SectionAction::ask_again && small_button("Ask again")) state.answers.ask_again(false);
  if (section.as_c.empty()) return;
  if (small_button("Copy as C")) ImGui::SetClipboardText(section.as_c.c_str());
  explain("The struct as C source, to paste into a test or an issue.");
}

void draw_section(const FrameContext& context, InspectorState& state, const Section& section, Commands& commands) {
  ImGui::PushID(section.key.c_str());
  ImGui::SetNextItemOpen(!state.folded.contains(section.key));
  ImGui::PushFont(context.fonts.bold, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_Text, tone_colour(context.theme, section.tone));
  const bool open = ImGui::CollapsingHeader(LineText("{}##head", section.title).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (open)
    state.folded.erase(section.key);
  else
    state.folded.insert(section.key);
  if (open) {
    if (!section.note.empty()) draw_wrapped_text(section.note, context.theme.dim);
    draw_fields(context, state, section, commands);
    draw_section_actions(state, section);
    ImGui::Dummy({0, context.px(4)});
  }
  ImGui::PopID();
}

// The inspection with Python's answers and the tensor's present state, rebuilt only when one of them changes.
const Inspection& with_answers(const FrameContext& context, InspectorState& state, const Inspection& given) {
  if (auto question = state.answers.follow(why_not_asked(context.moment) == nullptr ? context.index : nullptr, given.tensor,
                                         context.host, context.answers);
      question) {
    state.to_ask = std::move(question);
  }
  if (context.index == nullptr || given.tensor >= context.index->size()) return given;
  const TensorState now = context.state_of(given.tensor);
  const TouchCounts* const counts = context.touches;
  const std::uint64_t counted = counts != nullptr ? counts->revision() : 0;
  return state.shown.get({context.generation, given.tensor, state.answers.revision() + counted, now}, [&](Inspection& out) {
    const TouchAnswer* const touches = counts != nullptr ? counts->find(*context.index->snapshot, given.tensor) : nullptr;
    out = inspect(*context.index, given.tensor, state.answers.current(), now, touches);
  });
}

void copy_what_was_asked(const FrameContext& context, const InspectorState& state, const Inspection& inspection) {
  if (context.asked(ActionId::inspector_copy)) {
    const std::string& text = state.under_mouse.empty() ? inspection.name : state.under_mouse;
    ImGui::SetClipboardText(text.c_str());
  }
  if (!context.asked(ActionId::inspector_copy_c)) return;
  const auto card = std::ranges::find_if(inspection.sections, [](const Section& section) { return !section.as_c.empty(); });
  if (card != inspection.sections.end()) ImGui::SetClipboardText(card->as_c.c_str());
}

}  // namespace

void draw_inspector_panel(const FrameContext& context, InspectorState& state, const Inspection* inspection, const Section* of_file,
                          Commands& commands) {
  if (ImGui::Begin(title_of(ActionContext::inspector))) {
    if (inspection == nullptr) {
      draw_wrapped_text(context.has_tensors() ? "Select a tensor, in the table or in the memory map." : "Nothing to inspect yet.",
                        context.theme.dim);
    } else {
      const Inspection& shown = with_answers(context, state, *inspection);
      if (state.to_ask) commands.push(command::AskPython{*std::exchange(state.to_ask, std::nullopt)});
      copy_what_was_asked(context, state, shown);
      state.under_mouse.clear();
      state.lit = {};
      draw_header(context, shown);
      if (why_not_asked(context.moment) == nullptr) draw_acts(context, commands);
      draw_remember(context, commands);
      ImGui::Checkbox("Plain words", &state.show_meanings);
      explain("Says below each field what it means. Off: the same words are tooltips.");
      for (const Section& section : shown.sections) draw_section(context, state, section, commands);
      if (of_file != nullptr && !of_file->fields.empty()) draw_section(context, state, *of_file, commands);
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
