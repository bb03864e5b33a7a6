#include "app/panels/tensors/table_cells.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>

#include "app/models/text/fitted_text.h"
#include "app/models/text/format.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr auto kRowFlags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;

float width_of(std::string_view text) { return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x; }

// Cut in the middle where the cell is too narrow; the whole text is then in the tooltip. meaning() says the rest of it.
template <std::invocable Meaning>
void draw_text_cell(std::string_view text, const ImVec4& colour, bool right, Meaning&& meaning) {
  if (text.empty()) return;
  const float room = ImGui::GetContentRegionAvail().x, width = width_of(text);
  const bool fits = width <= room;
  if (fits && right) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  words(fits ? CutText{text} : fit_text(text, room, width_of), colour);
  explain([&] {
    std::string said(meaning());
    if (fits) return said;
    return said.empty() ? std::string(text) : fmt::format("{}\n{}", text, said);
  });
}

float chip_width(std::string_view text) { return width_of(text) + std::floor(ImGui::GetFontSize() * 0.33F) * 2; }

// The worst of them gives the colour.
Tone tone_of(std::span<const Badge> badges) {
  Tone tone = Tone::dim;
  for (const Badge& badge : badges) {
    if (badge.tone == Tone::bad || badge.tone == Tone::warn) tone = badge.tone;
  }
  return tone;
}

// Whole badges, the first one cut where even that has no room; the others are counted, and named in the tooltip.
void draw_badges(const FrameContext& context, const TensorTableModel& model, const TableRow& row, std::uint32_t number) {
  const std::vector<Badge>& badges = row.badges;
  // What the table's own edge cuts off is no room either.
  const float visible = ImGui::GetWindowDrawList()->GetClipRectMax().x - ImGui::GetCursorScreenPos().x;
  const float gap = context.px(4), room = std::min(ImGui::GetContentRegionAvail().x, visible);
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
    const CutText text = fit_text(badges[shown].text, fits ? width : room - rest - chip_width(""), width_of);
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

// The name, and at the right end of its cell what the last run did to it.
void draw_name(const FrameContext& context, const TensorTableModel& model, const TableRow& row, std::uint32_t number) {
  const MarkGlyph glyph = glyph_of(row);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float glyph_room = *glyph.text == '\0' ? 0 : width_of(glyph.text) + context.px(4);
  const float room = ImGui::GetContentRegionAvail().x - glyph_room;
  const std::string& name = row.text(TableColumn::name);
  const bool fits = width_of(name) <= room;
  words(fits ? CutText{name} : fit_text(name, room, width_of), row.gone ? context.theme.dim : context.theme.text);
  if (row.gone) {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    const float y = std::floor((from.y + to.y) * 0.5F) + 0.5F;
    ImGui::GetWindowDrawList()->AddLine({from.x, y}, {to.x, y}, ImGui::GetColorU32(context.theme.dim), context.px(1));
  }
  if (!fits) explain(name);
  if (glyph_room == 0) return;
  ImGui::SameLine();
  ImGui::SetCursorPosX(right - glyph_room + context.px(4));
  words(glyph.text, tone_colour(context.theme, glyph.tone));
  if (!row.badges.empty()) explain([&] { return model.explained_badges(number).front().meaning; });
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
  if (ImGui::MenuItem("Show only those that share bytes with it")) {
    TableQuery query = model.query();
    query.filter = "shares:\"" + name + "\"";
    commands.push(command::AskRows{std::move(query)});
  }
  ImGui::EndPopup();
}

void draw_name_cell(const FrameContext& context, const TensorTableModel& model, const TableRow& row, std::uint32_t id,
                    bool member, Commands& commands) {
  const bool selected = id == context.selected, compared = id == context.compared;
  if (compared || (context.hover.tensor == id && !selected)) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1,
                           ImGui::GetColorU32(compared ? ImGuiCol_HeaderActive : ImGuiCol_HeaderHovered, 0.45F));
  }
  if (member) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + context.px(16));
  group_swatch(context.theme, row.colour);
  ImGui::SameLine();
  if (ImGui::Selectable("##row", selected, kRowFlags)) {
    if (ImGui::GetIO().KeyCtrl)
      commands.push(command::CompareTensor{id});
    else
      commands.push(command::SelectTensor{id});
  }
  if (ImGui::IsItemHovered())
    commands.push(command::Hover{{.tensor = id, .element = {}, .space = context.index->tensor(id).space, .bytes = {}}});
  draw_row_menu(context, model, id, commands);
  ImGui::SameLine(0, 0);
  draw_name(context, model, row, id);
}

void draw_gone_name_cell(const FrameContext& context, const TensorTableModel& model, const TableRow& row, std::uint32_t number,
                         bool member) {
  if (member) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + context.px(16));
  // The width of a swatch, without one: it has no memory to colour.
  ImGui::Dummy({std::floor(ImGui::GetFontSize() * 0.72F), ImGui::GetTextLineHeight()});
  ImGui::SameLine();
  draw_name(context, model, row, number);
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
    draw_text_cell(row.cells[i], column.quiet || row.gone ? context.theme.dim : context.theme.text, column.right,
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

void draw_head(const FrameContext& context, TensorTableModel& model, std::uint32_t number, Commands& commands) {
  const TableGroupRow& row = model.group_row(number);
  const TableSection& section = model.order()->sections[number];
  const auto summary = [&] { return std::string_view(row.summary); };
  const bool holds_selected =
      context.selected != core::kNone32 && section.folded && context.index->tensor(context.selected).group == section.group;
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(context.theme.raised));
  if (ImGui::TableSetColumnIndex(0)) {
    fold_arrow(context, section.folded);
    ImGui::SameLine(0, context.px(4));
    group_swatch(context.theme, row.colour);
    ImGui::SameLine();
    if (ImGui::Selectable("##head", holds_selected, kRowFlags)) ask_fold(model, number, !section.folded, commands);
    if (ImGui::BeginPopupContextItem("head menu")) {
      TableQuery query = model.query();
      for (const bool all : {true, false}) {
        if (!ImGui::MenuItem(all ? "Fold all groups" : "Unfold all groups", all ? "Ctrl+Left" : "Ctrl+Right")) continue;
        query.folding = {.all = all, .except = {}};
        commands.push(command::AskRows{query});
      }
      ImGui::EndPopup();
    }
    ImGui::SameLine(0, 0);
    draw_text_cell(row.title, context.theme.text, false, summary);
  }
  const auto cell = [&](TableColumn column, const std::string& text, bool right) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(column))) return;
    draw_text_cell(text, context.theme.dim, right, summary);
  };
  cell(TableColumn::library, row.libraries, false);
  cell(TableColumn::badges, row.members, false);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  cell(TableColumn::bytes, row.bytes, true);
  ImGui::PopFont();
}

}  // namespace

void ask_fold(const TensorTableModel& model, std::uint32_t section, bool folded, Commands& commands) {
  TableQuery query = model.query();
  query.folding.set(group_name(*model.index(), model.order()->sections[section].group), folded);
  commands.push(command::AskRows{std::move(query)});
}

void draw_table_line(const FrameContext& context, TensorTableModel& model, const TableLine& line, Commands& commands) {
  ImGui::TableNextRow();
  if (line.row == core::kNone32) {
    ImGui::PushID(static_cast<int>(line.section));
    ImGui::PushID("head");
    draw_head(context, model, line.section, commands);
    ImGui::PopID();
    ImGui::PopID();
    return;
  }
  const TableRow& row = model.row(line.row);
  const bool member = line.section != core::kNone32 && model.order()->sections[line.section].group != core::kNone32;
  ImGui::PushID(static_cast<int>(line.row));
  if (ImGui::TableSetColumnIndex(0)) {
    if (row.gone)
      draw_gone_name_cell(context, model, row, line.row, member);
    else
      draw_name_cell(context, model, row, line.row, member, commands);
  }
  draw_cells(context, model, row, line.row);
  ImGui::PopID();
}

}  // namespace dlscope::app
