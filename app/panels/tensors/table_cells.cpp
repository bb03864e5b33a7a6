#include "app/panels/tensors/table_cells.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>

#include "app/models/host/act_refusal.h"
#include "app/models/table/table_filter.h"
#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/dragged_tensor.h"
#include "app/panels/slice_field.h"
#include "app/panels/tensor_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr auto kRowFlags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;

// Cuts text to a narrow cell: names and types by whole segments, shapes and strides by whole entries at the end, numbers
// after their digits, anything else in the middle.
CutText cut_for(TableColumn column, std::string_view text, float room) {
  if (column == TableColumn::shape) return fit_entries(text, " × ", room, text_width);
  if (column == TableColumn::strides) return fit_entries(text, ", ", room, text_width);
  if (column == TableColumn::name || column == TableColumn::type) return fit_path(text, room, text_width);
  if (column == TableColumn::nan || column == TableColumn::least || column == TableColumn::greatest) {
    const FittedNumber number = fit_number(text, room, text_width);
    return {number.text, number.exponent, number.cut};
  }
  return fit_text(text, room, text_width);
}

// The room in the cell, without what lies beyond the table's edge: cut there, "4096 × 256" would read as "40".
float visible_room() {
  const float visible = ImGui::GetWindowDrawList()->GetClipRectMax().x - ImGui::GetCursorScreenPos().x;
  return std::min(ImGui::GetContentRegionAvail().x, visible);
}

// When the text is cut, the tooltip has all of it. meaning() makes the rest of the tooltip.
template <std::invocable Meaning>
void draw_text_cell(std::string_view text, const ImVec4& colour, TableColumn column, Meaning&& meaning) {
  if (text.empty()) return;
  const float room = visible_room(), width = text_width(text);
  const bool fits = width <= room, right = table_columns()[static_cast<std::size_t>(column)].right;
  if (fits && right) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  draw_text(fits ? CutText{text} : cut_for(column, text, room), colour);
  explain([&] {
    std::string said(meaning());
    if (fits) return said;
    return said.empty() ? std::string(text) : fmt::format("{}\n{}", text, said);
  });
}

float chip_width(std::string_view text) { return text_width(text) + std::floor(ImGui::GetFontSize() * 0.33F) * 2; }

// The tone of the most serious one.
Tone tone_of(std::span<const Badge> badges) {
  Tone tone = Tone::dim;
  for (const Badge& badge : badges) {
    if (badge.tone == Tone::bad || badge.tone == Tone::warn) tone = badge.tone;
  }
  return tone;
}

// Draws whole badges, cutting only the first one when it does not fit; the others are counted, and listed in the tooltip.
void draw_badges(const FrameContext& context, const TensorTableModel& model, const TableRow& row, std::uint32_t number) {
  const std::vector<Badge>& badges = row.badges;
  const float gap = context.px(4), room = visible_room();
  const auto more_width = [&](std::size_t count) { return chip_width(LineText("+{}", count)); };
  const float least = chip_width("shares x…");
  float used = 0;
  std::size_t shown = 0;
  for (; shown < badges.size(); ++shown) {
    const float width = chip_width(badges[shown].text), left = badges.size() - shown - 1 > 0 ? gap : 0;
    const float rest = left > 0 ? left + more_width(badges.size() - shown - 1) : 0;
    const bool fits = used + width + rest <= room;
    if (!fits && (shown > 0 || room - rest < least)) break;
    if (shown > 0) ImGui::SameLine(0, gap);
    const CutText text = fit_text(badges[shown].text, fits ? width : room - rest - chip_width(""), text_width);
    badge_chip(context.theme, LineText("{}{}{}", text.front, text.cut ? "…" : "", text.back).view(), badges[shown].tone);
    explain([&] { return model.explained_badges(number)[shown].meaning; });
    used += width + gap;
  }
  if (shown == badges.size()) return;
  if (shown > 0) ImGui::SameLine(0, gap);
  const LineText count("+{}", badges.size() - shown);
  const bool only_one = shown == 0 && badges.size() == 1;
  badge_chip(context.theme, only_one ? std::string_view("…") : count.view(), tone_of(std::span(badges).subspan(shown)));
  explain([&] {
    std::string all;
    const std::vector<Badge> explained = model.explained_badges(number);
    for (std::size_t i = shown; i < explained.size(); ++i)
      all += fmt::format("{}{}: {}", i > shown ? "\n" : "", explained[i].text, explained[i].meaning);
    return all;
  });
}

struct MarkGlyph {
  const char* text = "";
  Tone tone = Tone::plain;
};

MarkGlyph glyph_of(const TableRow& row) {
  if (row.gone) return {"×", Tone::dim};
  switch (row.mark) {
    case Mark::fresh:
      return {"+", Tone::good};
    case Mark::changed:
      return {"≠", Tone::warn};
    case Mark::moved:
      return {"→", Tone::dim};
    case Mark::none:
      break;
  }
  return {};
}

// "…[5]" or "…weight" identifies nothing, because most names end like that.
bool says_too_little(const CutText& name) { return name.cut && segment_starts(name.back).size() < 2; }

// "Also called a, b"
std::string other_names_text(const TableRow& row) { return fmt::format("Also called {}", fmt::join(row.other_names, ", ")); }

// Other names of a tied tensor, after its name; first the one that the filter matched. Shows whole segments of the first one and
// how many more there are, or only the number when there is little room; the tooltip, and that of the name, has all.
void draw_other_names(const FrameContext& context, const TensorTableModel& model, const TableRow& row, std::uint32_t number,
                      float room) {
  if (row.other_names.empty()) return;
  const auto matched = model.order()->matched_name.find(number);
  const bool filtered = matched != model.order()->matched_name.end();
  const std::size_t first = filtered && matched->second <= row.other_names.size() ? matched->second - 1 : 0;
  const LineText count(" +{}", row.other_names.size() - 1);
  const std::string_view more = row.other_names.size() > 1 ? count.view() : std::string_view();
  const std::string_view sign = filtered ? "filtered as " : "= ";
  const float gap = context.px(6), left = room - gap - text_width(sign) - text_width(more);
  const CutText name = fit_path(row.other_names[first], left, text_width);
  const std::size_t names = row.other_names.size();
  const bool none = name.front.empty() && name.back.empty(), only_number = !filtered && (none || says_too_little(name));
  const LineText whole("{}{}{}{}{}", sign, name.front, name.cut ? "…" : "", name.back, more);
  const LineText words("+{} name{}", names, names == 1 ? "" : "s"), sum("+{}", names);
  const std::string_view text = only_number ? first_that_fits({words, sum}, room - gap) : whole.view();
  if (text_width(text) > room - gap || (none && !only_number)) return;
  ImGui::SameLine(0, gap);
  draw_text(text, filtered ? context.theme.accent : context.theme.dim);
  explain([&] { return other_names_text(row); });
}

// The name and, at the right end of its cell, whether dlscope holds it and the mark of what the last run changed.
void draw_name(const FrameContext& context, const TensorTableModel& model, const TableRow& row, const TableLine& line) {
  const MarkGlyph glyph = glyph_of(row);
  const float left = ImGui::GetCursorPosX(), right = left + ImGui::GetContentRegionAvail().x;
  const float glyph_room = *glyph.text == '\0' ? 0 : text_width(glyph.text) + context.px(4);
  const bool held = !row.gone && context.held.contains(line.row);
  const std::string_view kept = held ? brief_state_text(context.moment, context.state_of(line.row)) : "";  // "held", "remembered"
  const float held_room = held ? text_width(kept) + context.px(4) : 0;
  const float room = ImGui::GetContentRegionAvail().x - glyph_room - held_room;
  const std::string_view name = label_of_row(*model.index(), *model.order(), line);
  const CutText text = fit_path(name, room, text_width);
  draw_text(text, row.gone ? context.theme.dim : context.theme.text);
  if (row.gone) {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    const float y = std::floor((from.y + to.y) * 0.5F) + 0.5F;
    ImGui::GetWindowDrawList()->AddLine({from.x, y}, {to.x, y}, ImGui::GetColorU32(context.theme.dim), context.px(1));
  }
  const std::string_view whole = row.text(TableColumn::name);
  const bool shortened = text.cut || name.size() < whole.size();
  if (!row.other_names.empty())
    explain([&] { return shortened ? fmt::format("{}\n{}", whole, other_names_text(row)) : other_names_text(row); });
  else if (shortened)
    explain(whole);
  if (!text.cut) draw_other_names(context, model, row, line.row, room - ImGui::GetItemRectSize().x);
  if (held) {
    ImGui::SameLine();
    ImGui::SetCursorPosX(right - glyph_room - held_room + context.px(4));
    draw_text(kept, context.theme.accent);
    explain([&] { return state_meaning(context.moment, context.state_of(line.row)); });
  }
  if (glyph_room == 0) return;
  ImGui::SameLine();
  ImGui::SetCursorPosX(right - glyph_room + context.px(4));
  draw_text(glyph.text, tone_colour(context.theme, glyph.tone));
  explain([&] { return model.change(line.row); });
}

// Whether it works on the slice that is chosen of the tensor. Memory is held as a whole.
bool takes_slice(ActionId act) {
  return act == ActionId::exchange_selected || act == ActionId::copy_selected || act == ActionId::convert_selected;
}

// Entries for actions on the selected tensor: they select the row's first. Where Python cannot act now they are grey, with the
// reason.
void draw_row_acts(const FrameContext& context, std::uint32_t id, Commands& commands) {
  constexpr std::pair<ActionId, const char*> kActs[] = {{ActionId::memory_hold, "Hold its memory"},
                                                        {ActionId::memory_pin, "Hold its memory while code runs, too"},
                                                        {ActionId::memory_release, "Release its memory"},
                                                        {ActionId::hex_selected, nullptr},
                                                        {ActionId::exchange_selected, nullptr},
                                                        {ActionId::copy_selected, nullptr},
                                                        {ActionId::convert_selected, nullptr},
                                                        {ActionId::prove_add, nullptr}};
  for (const auto& [asked, own_label] : kActs) {
    if (asked == ActionId::memory_release && !context.held.contains(id)) continue;
    if (asked == ActionId::hex_selected) ImGui::Separator();
    const Action& row = action(asked);
    const char* const why_not = asked == ActionId::hex_selected ? nullptr : why_not_acted(context.moment, context.host);
    const LineText label("{}##act", own_label != nullptr ? own_label : row.title);
    const std::string of = id == context.selected && takes_slice(asked) ? slice_in_brackets(context) : std::string();
    const bool chosen = ImGui::MenuItem(label.c_str(), of.empty() ? nullptr : of.c_str(), false, why_not == nullptr);
    explain(why_not != nullptr ? why_not : row.meaning);
    if (!chosen) continue;
    commands.push(command::SelectTensor{id});
    commands.push(command::Ask{asked});
  }
}

void draw_row_menu(const FrameContext& context, const TensorTableModel& model, std::uint32_t id, Commands& commands) {
  if (!ImGui::BeginPopupContextItem("row menu")) return;
  const core::TensorRecord& tensor = context.index->tensor(id);
  const std::string name(context.index->snapshot->name(tensor));
  if (ImGui::MenuItem("Copy name")) ImGui::SetClipboardText(name.c_str());
  if (ImGui::MenuItem("Copy address", nullptr, false, tensor.has_metadata))
    ImGui::SetClipboardText(plain_address(tensor.address).c_str());
  ImGui::Separator();
  if (ImGui::MenuItem("Compare with the selected tensor", "Ctrl+click", id == context.compared,
                      context.selected != core::kNone32 && context.selected != id)) {
    commands.push(command::CompareTensor{id});
  }
  ImGui::Separator();
  const Remember how = context.remembered(id);
  ImGui::BeginDisabled(why_not_asked(context.moment) != nullptr);
  for (const auto& [label, kind] : {std::pair("Remember its bytes in every snapshot", Remember::bytes),
                                    std::pair("Remember hashes of its blocks", Remember::hashes)}) {
    if (ImGui::MenuItem(label, nullptr, how == kind))
      commands.push(command::RememberTensor{id, how == kind ? Remember::no : kind});
  }
  ImGui::EndDisabled();
  if (ImGui::MenuItem(action(ActionId::compare_remembered).title, nullptr, false, how == Remember::bytes)) {
    commands.push(command::SelectTensor{id});
    commands.push(command::Ask{ActionId::compare_remembered});
  }
  if (ImGui::MenuItem(LineText("{} …", action(ActionId::compare_file).title).c_str())) {
    commands.push(command::SelectTensor{id});
    commands.push(command::Ask{ActionId::compare_file});
  }
  ImGui::Separator();
  draw_row_acts(context, id, commands);
  ImGui::Separator();
  if (ImGui::MenuItem("Show only those that share bytes with it")) {
    TableQuery query = model.query();
    query.filter = "shares:" + quoted(name);
    commands.push(command::AskRows{std::move(query)});
  }
  ImGui::EndPopup();
}

// Rows below a head are indented, in a tree by one step per head above.
float indent_of(const FrameContext& context, const TensorTableModel& model, const TableLine& line) {
  if (line.section == core::kNone32) return 0;
  const TableSection& section = model.order()->sections[line.section];
  if (!section.has_head()) return 0;
  const auto steps = static_cast<float>(section.depth + (line.row == core::kNone32 ? 0 : 1));
  return context.px(14) * steps;
}

void draw_name_cell(const FrameContext& context, const TensorTableModel& model, const TableRow& row, const TableLine& line,
                    Commands& commands) {
  const std::uint32_t id = line.row;
  const bool selected = id == context.selected, compared = id == context.compared;
  if (compared || (context.hover.tensor == id && !selected)) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1,
                           ImGui::GetColorU32(compared ? ImGuiCol_HeaderActive : ImGuiCol_HeaderHovered, 0.45F));
  }
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent_of(context, model, line));
  tensor_swatch(context, id);
  ImGui::SameLine();
  if (ImGui::Selectable("##row", selected, kRowFlags)) {
    if (ImGui::GetIO().KeyCtrl)
      commands.push(command::CompareTensor{id});
    else
      commands.push(command::SelectTensor{id});
  }
  drag_tensor(context, id);
  // The mouse alone: after a key, Dear ImGui would call the row that was clicked last hovered.
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_NoNavOverride))
    commands.push(command::Hover{{.tensor = id, .element = {}, .space = context.index->tensor(id).space, .bytes = {}}});
  draw_row_menu(context, model, id, commands);
  ImGui::SameLine(0, 0);
  draw_name(context, model, row, line);
}

void draw_gone_name_cell(const FrameContext& context, const TensorTableModel& model, const TableRow& row,
                         const TableLine& line) {
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent_of(context, model, line));
  // Reserves the width of a swatch: a gone tensor has no colour.
  ImGui::Dummy({std::floor(ImGui::GetFontSize() * 0.72F), ImGui::GetTextLineHeight()});
  ImGui::SameLine();
  draw_name(context, model, row, line);
}

// The count of NaN stands out when it is not zero.
ImVec4 cell_colour(const Theme& theme, const TableRow& row, const ColumnInfo& column) {
  if (column.quiet || row.gone) return theme.dim;
  if (column.column != TableColumn::nan) return theme.text;
  return row.text(column.column).starts_with('0') ? theme.dim : theme.bad;  // "0", or "0?" for a sample
}

void draw_cells(const FrameContext& context, const TensorTableModel& model, const TableRow& row, std::uint32_t number) {
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<std::size_t>(column.column);
    if (column.column == TableColumn::name || !ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    if (column.column == TableColumn::badges) {
      draw_badges(context, model, row, number);
      continue;
    }
    if (row.cells[i].empty()) continue;
    if (column.mono) ImGui::PushFont(context.fonts.mono, 0.0F);
    draw_text_cell(row.cells[i], cell_colour(context.theme, row, column), column.column,
                   [&] { return model.meaning(number, column.column); });
    if (column.mono) ImGui::PopFont();
  }
}

// An arrow that points down when open, right when folded.
void fold_arrow(const FrameContext& context, bool folded) {
  const float side = std::floor(ImGui::GetFontSize() * 0.72F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 middle{at.x + side * 0.5F, at.y + ImGui::GetTextLineHeight() * 0.5F};
  const float r = side * 0.42F;
  const ImU32 ink = ImGui::GetColorU32(context.theme.dim);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (folded)
    list->AddTriangleFilled({middle.x - r * 0.6F, middle.y - r}, {middle.x - r * 0.6F, middle.y + r},
                            {middle.x + r * 0.8F, middle.y}, ink);
  else
    list->AddTriangleFilled({middle.x - r, middle.y - r * 0.6F}, {middle.x + r, middle.y - r * 0.6F},
                            {middle.x, middle.y + r * 0.8F}, ink);
  ImGui::Dummy({side, ImGui::GetTextLineHeight()});
}

void draw_fold_menu(const TensorTableModel& model, Commands& commands) {
  if (!ImGui::BeginPopupContextItem("head menu")) return;
  TableQuery query = model.query();
  for (const bool all : {true, false}) {
    if (!ImGui::MenuItem(all ? "Fold all" : "Unfold all", all ? "Ctrl+Left" : "Ctrl+Right")) continue;
    query.folding = {.all = all, .except = {}};
    commands.push(command::AskRows{query});
  }
  ImGui::EndPopup();
}

bool holds_selected(const FrameContext& context, const TensorTableModel& model, std::uint32_t number) {
  if (context.selected == core::kNone32 || !model.order()->sections[number].folded) return false;
  const auto line = model.row_of(context.selected);
  return line && model.line(*line).row == core::kNone32 && model.line(*line).section == number;
}

void draw_head(const FrameContext& context, TensorTableModel& model, const TableLine& line, Commands& commands) {
  const std::uint32_t number = line.section;
  const TableHeadRow& row = model.head_row(number);
  const TableSection& section = model.order()->sections[number];
  const auto summary = [&] { return std::string_view(row.summary); };
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(context.theme.raised));
  if (ImGui::TableSetColumnIndex(0)) {
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent_of(context, model, line));
    fold_arrow(context, section.folded);
    ImGui::SameLine(0, context.px(4));
    if (section.kind == TableSection::Kind::group) {
      const core::Snapshot& snapshot = *context.index->snapshot;
      const auto members = core::Snapshot::slice(snapshot.group_members, snapshot.groups[section.group].members);
      group_swatch(context.theme, row.colour, any_may_be_anothers(context.moment, context.held, members));
      ImGui::SameLine();
    }
    const bool selected = holds_selected(context, model, number);
    if (ImGui::Selectable("##head", selected, kRowFlags)) ask_fold(model, number, !section.folded, commands);
    draw_fold_menu(model, commands);
    ImGui::SameLine(0, 0);
    const bool gone = section.kind == TableSection::Kind::gone;
    draw_text_cell(row.title, gone ? context.theme.dim : context.theme.text, TableColumn::name, summary);
  }
  const auto cell = [&](TableColumn column, const std::string& text) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(column))) return;
    draw_text_cell(text, context.theme.dim, column, summary);
  };
  cell(TableColumn::library, row.libraries);
  cell(TableColumn::badges, row.members);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  cell(TableColumn::bytes, row.bytes);
  ImGui::PopFont();
}

}  // namespace

void ask_fold(const TensorTableModel& model, std::uint32_t section, bool folded, Commands& commands) {
  TableQuery query = model.query();
  const TableSection& head = model.order()->sections[section];
  if (head.kind == TableSection::Kind::gone)
    query.gone_open = !folded;
  else
    query.folding.set(folding_name(*model.index(), head), folded);
  commands.push(command::AskRows{std::move(query)});
}

void draw_table_line(const FrameContext& context, TensorTableModel& model, const TableLine& line, Commands& commands) {
  ImGui::TableNextRow();
  if (line.row == core::kNone32) {
    ImGui::PushID(static_cast<int>(line.section));
    ImGui::PushID("head");
    draw_head(context, model, line, commands);
    ImGui::PopID();
    ImGui::PopID();
    return;
  }
  const TableRow& row = model.row(line.row);
  ImGui::PushID(static_cast<int>(line.row));
  if (ImGui::TableSetColumnIndex(0)) {
    if (row.gone)
      draw_gone_name_cell(context, model, row, line);
    else
      draw_name_cell(context, model, row, line, commands);
  }
  draw_cells(context, model, row, line.row);
  ImGui::PopID();
}

}  // namespace dlscope::app
