#include "app/panels/tensors/column_widths.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dlscope::app {
namespace {

// Font sizes. Tight: where the other columns have no room beside more. Other columns leave for kMinNotes only.
constexpr float kMinName = 11, kTightName = 8, kTightDtype = 4.6F, kMinNotes = 12, kLeastNotes = 7, kMaxOfNotes = 20, kMinDtype = 8;
constexpr float kNamePart = 0.33F;  // of the table's width
constexpr float kSortArrow = 1.2F;
constexpr float kBesideName = 2.4F;  // for swatch and mark
// Long type names are cut, so that they do not displace other columns. Shapes and strides are not limited.
constexpr float kMaxWidth = 16, kMaxOfAddresses = 26;

float text_width(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

float most_of(TableColumn column) {
  if (column == TableColumn::shape || column == TableColumn::strides || column == TableColumn::name) return 200;
  if (column == TableColumn::badges) return kMaxOfNotes;
  return column == TableColumn::extent || column == TableColumn::names ? kMaxOfAddresses : kMaxWidth;
}

void measure(const FrameContext& context, const TensorTableModel& model, ColumnWidths& out) {
  const float em = ImGui::GetFontSize();
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<std::size_t>(column.column);
    const float head = text_width(column.title) + em * kSortArrow;
    if (column.mono) ImGui::PushFont(context.fonts.mono, 0.0F);
    const float content = model.order() ? text_width(model.order()->longest[i]) : 0;
    if (column.mono) ImGui::PopFont();
    const float least = is_of_values(column.column) ? column.width * em : head;  // their texts are not known yet
    out[i] = std::ceil(std::max({head, least, std::min(content, em * most_of(column.column))}));
    if (column.column == TableColumn::name) out[i] += std::ceil(em * kBesideName);
  }
}

}  // namespace

ColumnPlan plan_columns(const FrameContext& context, ColumnWidthState& state, const TensorTableModel& model,
                        const ColumnSet& chosen, float room) {
  constexpr auto kName = static_cast<std::size_t>(TableColumn::name), kNotes = static_cast<std::size_t>(TableColumn::badges),
                 kDtype = static_cast<std::size_t>(TableColumn::dtype);
  const float em = ImGui::GetFontSize(), padding = ImGui::GetStyle().CellPadding.x * 2 + 1;
  const ColumnWidths& needed =
      state.needed.get({model.rows_version(), em}, [&](ColumnWidths& out) { measure(context, model, out); });
  ColumnPlan plan;
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<std::size_t>(column.column);
    plan.widths[i] = (state.by_hand[i] > 0 ? state.by_hand[i] * em : needed[i]) + padding;
  }
  const float whole_name = plan.widths[kName], whole_notes = plan.widths[kNotes];
  plan.widths[kNotes] = std::min(whole_notes, em * kMinNotes + padding);
  // The long name of one record type is cut, and takes no column from every other row.
  const float whole_dtype = plan.widths[kDtype];
  if (state.by_hand[kDtype] == 0) plan.widths[kDtype] = std::min(whole_dtype, em * kMinDtype + padding);
  // A tensor is identified by its name: other columns are hidden before the name is cut below this part of the table.
  const float least_name = std::max(em * kMinName, room * kNamePart);
  if (state.by_hand[kName] == 0) plan.widths[kName] = std::min(whole_name, least_name + padding);
  plan.shown = chosen.any() ? chosen : columns_with_room(plan.widths, room);
  for (std::size_t i = 0; i < kTableColumns; ++i) plan.total += plan.shown[i] ? plan.widths[i] : 0;
  const auto change = [&](std::size_t column, float by) {
    plan.widths[column] += by;
    plan.total += by;
  };
  // The rest goes to the notes first: the name column is as wide as its longest name, and most names are shorter.
  if (plan.shown[kNotes]) change(kNotes, std::clamp(room - plan.total, 0.0F, whole_notes - plan.widths[kNotes]));
  change(kName, std::clamp(room - plan.total, 0.0F, whole_name - plan.widths[kName]));
  if (plan.shown[kDtype]) change(kDtype, std::clamp(room - plan.total, 0.0F, whole_dtype - plan.widths[kDtype]));
  // Where even the columns that never leave have no room, name and dtype give way before the table scrolls sideways.
  if (chosen.any()) return plan;
  for (const auto& [column, tight] : {std::pair(kName, kTightName), std::pair(kDtype, kTightDtype)}) {
    const float least = std::min(plan.widths[column], em * tight + padding);
    if (state.by_hand[column] == 0) change(column, -std::clamp(plan.total - room, 0.0F, plan.widths[column] - least));
  }
  // Where names are cut or notes out of sight all the same, either tells more than the dtype, which is mostly the same.
  const float notes_in_sight = plan.shown[kNotes] ? room - (plan.total - plan.widths[kNotes]) : kLeastNotes * em;
  const bool is_cut = plan.widths[kName] < whole_name || notes_in_sight < std::min(whole_notes, kLeastNotes * em);
  if (plan.total > room && is_cut && plan.shown[kDtype] && state.by_hand[kDtype] == 0) {
    plan.shown.reset(kDtype);
    plan.total -= plan.widths[kDtype];
    const float seen = plan.total - (plan.shown[kNotes] ? plan.widths[kNotes] : 0);
    change(kName, std::clamp(room - seen, 0.0F, whole_name - plan.widths[kName]));
  }
  return plan;
}

void take_fit_request(ColumnWidthState& state) {
  ImGuiTable* table = ImGui::TableFindByID(ImGui::GetID("tensors"));
  if (table == nullptr || table->AutoFitSingleColumn == -1) return;
  // Dear ImGui would measure the visible rows, whose texts are already cut.
  state.by_hand[static_cast<std::size_t>(std::exchange(table->AutoFitSingleColumn, -1))] = 0;
}

void apply_widths(ColumnWidthState& state, const ColumnPlan& plan) {
  ImGuiTable* table = ImGui::GetCurrentTable();
  const float em = ImGui::GetFontSize(), padding = ImGui::GetStyle().CellPadding.x * 2 + 1;
  for (const ColumnInfo& info : table_columns()) {
    const auto i = static_cast<std::size_t>(info.column);
    if (info.width <= 0) continue;
    ImGuiTableColumn& column = table->Columns[static_cast<int>(info.column)];
    const bool drawn =
        table->LastResizedColumn != -1 && state.given[i] > 0 && std::abs(column.WidthRequest - state.given[i]) > 0.5F;
    if (drawn) state.by_hand[i] = column.WidthRequest / em;
    column.WidthRequest = drawn ? column.WidthRequest : plan.widths[i] - padding;
    state.given[i] = column.WidthRequest;
  }
}

}  // namespace dlscope::app
