#include "app/panels/tensor_table_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <iterator>

#include "app/models/format.h"
#include "app/panels/empty_state.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

struct ColumnStyle {
  TableColumn column;
  const char* title;
  float width;  // in font sizes; 0: stretches
  const char* meaning;
};

constexpr ColumnStyle kColumns[] = {
    {TableColumn::name, "Name", 8.5F, "How the script reaches it. The colour is its memory group: equal colours share bytes."},
    {TableColumn::library, "Library", 4.5F, "Who owns the memory."},
    {TableColumn::dtype, "Dtype", 5, "Type of one element, in NumPy's words."},
    {TableColumn::shape, "Shape", 5.5F, "Elements along each axis."},
    {TableColumn::strides, "Strides", 5, "Elements to step for the next index of each axis."},
    // Before the columns that are the same for most tensors: in a narrow window those are the ones to scroll to.
    {TableColumn::badges, "Remarkable", 0, "What is worth knowing."},
    {TableColumn::device, "Device", 3.5F, "Where the capsule says the bytes are."},
    {TableColumn::bytes, "Bytes", 4.5F, "Elements times element size; what it really touches is in the inspector."},
    {TableColumn::layout, "Layout", 6.5F, "How the elements lie in memory."},
};

void setup_columns() {
  for (const ColumnStyle& column : kColumns) {
    const auto flags = column.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
    ImGui::TableSetupColumn(column.title, flags, column.width * ImGui::GetFontSize(), static_cast<ImGuiID>(column.column));
  }
  ImGui::TableSetupScrollFreeze(1, 1);
}

void draw_headers() {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < static_cast<int>(std::size(kColumns)); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::PushID(i);
    ImGui::TableHeader(kColumns[i].title);
    explain(kColumns[i].meaning);
    ImGui::PopID();
  }
}

// A sort asked for by a click on a header goes out as a query; the rows come back later.
void read_sort(const TensorTableModel& model, Commands& commands) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  specs->SpecsDirty = false;
  TableQuery query = model.query();
  query.column.reset();
  query.descending = false;
  if (specs->SpecsCount > 0) {
    query.column = static_cast<TableColumn>(specs->Specs[0].ColumnUserID);
    query.descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  }
  if (query != model.query()) commands.push(command::AskRows{std::move(query)});
}

void right_aligned(std::string_view text) {
  const float width = ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
  const float room = ImGui::GetContentRegionAvail().x;
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  words(text);
}

void draw_name_cell(const FrameContext& context, const TableRow& row, std::uint32_t id, Commands& commands) {
  const bool selected = id == context.selected;
  const bool lit = context.hover.tensor == id;
  if (lit && !selected) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, ImGui::GetColorU32(ImGuiCol_HeaderHovered, 0.45F));
  }
  group_swatch(context.theme, row.colour);
  ImGui::SameLine();
  constexpr auto kFlags = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap;
  if (ImGui::Selectable("##row", selected, kFlags)) commands.push(command::SelectTensor{id});
  if (ImGui::IsItemHovered())
    commands.push(command::Hover{{.tensor = id, .element = {}, .space = context.index->tensor(id).space, .bytes = {}}});
  if (ImGui::BeginPopupContextItem("row menu")) {
    if (ImGui::MenuItem("Copy name")) ImGui::SetClipboardText(row.name.c_str());
    if (ImGui::MenuItem("Copy address")) ImGui::SetClipboardText(plain_address(context.index->tensor(id).address).c_str());
    ImGui::EndPopup();
  }
  ImGui::SameLine(0, 0);
  words(row.name);
}

void draw_badges(const FrameContext& context, const TableRow& row) {
  for (std::size_t i = 0; i < row.badges.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, context.px(4));
    badge_chip(context.theme, row.badges[i]);
  }
}

void draw_row(const FrameContext& context, TensorTableModel& model, std::uint32_t id, Commands& commands) {
  const TableRow& row = model.row(id);
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(id));
  if (ImGui::TableSetColumnIndex(0)) draw_name_cell(context, row, id, commands);
  if (ImGui::TableSetColumnIndex(1)) {
    words(row.library, context.theme.dim);
    if (row.type != row.library) explain(row.type);
  }
  ImGui::PushFont(context.fonts.mono, 0.0F);
  if (ImGui::TableSetColumnIndex(2)) words(row.dtype);
  if (ImGui::TableSetColumnIndex(3)) words(row.shape);
  if (ImGui::TableSetColumnIndex(4)) words(row.strides, context.theme.dim);
  ImGui::PopFont();
  if (ImGui::TableSetColumnIndex(5)) draw_badges(context, row);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  if (ImGui::TableSetColumnIndex(6)) words(row.device, context.theme.dim);
  if (ImGui::TableSetColumnIndex(7)) {
    right_aligned(row.bytes);
    explain(row.exact_bytes);
  }
  ImGui::PopFont();
  if (ImGui::TableSetColumnIndex(8)) words(row.layout, context.theme.dim);
  ImGui::PopID();
}

// Row heights are equal, so that any row can be scrolled to without drawing the ones before it.
void scroll_to_row(std::size_t row, float row_height) {
  const float top = static_cast<float>(row) * row_height;
  const float view = ImGui::GetWindowHeight() - row_height * 2;
  const float now = ImGui::GetScrollY();
  if (top < now || top > now + view - row_height) ImGui::SetScrollY(std::max(0.0F, top - view * 0.5F));
}

void move_selection(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) || ImGui::GetIO().WantTextInput || model.row_count() == 0) return;
  const auto page = std::max(1, state.rows_drawn - 2);
  std::ptrdiff_t step = 0;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow))
    step = 1;
  else if (ImGui::IsKeyPressed(ImGuiKey_UpArrow))
    step = -1;
  else if (ImGui::IsKeyPressed(ImGuiKey_PageDown))
    step = page;
  else if (ImGui::IsKeyPressed(ImGuiKey_PageUp))
    step = -page;
  else if (ImGui::IsKeyPressed(ImGuiKey_End))
    step = static_cast<std::ptrdiff_t>(model.row_count());
  else if (ImGui::IsKeyPressed(ImGuiKey_Home))
    step = -static_cast<std::ptrdiff_t>(model.row_count());
  if (step == 0) return;
  const auto current = model.row_of(context.selected);
  const auto last = static_cast<std::ptrdiff_t>(model.row_count()) - 1;
  const auto from = current ? static_cast<std::ptrdiff_t>(*current) : (step > 0 ? -1 : last + 1);
  const auto to = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + step, 0, last));
  state.scroll_to = model.tensor_at(to);
  commands.push(command::SelectTensor{state.scroll_to});
}

void draw_rows(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands) {
  const float row_height = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  if (state.scroll_to != core::kNone32) {
    if (const auto row = model.row_of(state.scroll_to)) scroll_to_row(*row, row_height);
    state.scroll_to = core::kNone32;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model.row_count()), row_height);
  state.rows_drawn = 0;
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i, ++state.rows_drawn) {
      draw_row(context, model, model.tensor_at(static_cast<std::size_t>(i)), commands);
    }
  }
}

void draw_filter(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  const std::string count =
      model.row_count() == context.index->size()
          ? counted(context.index->size(), "tensor", "tensors")
          : fmt::format("{} of {}", grouped(model.row_count()), counted(context.index->size(), "tensor", "tensors"));
  const float count_width = ImGui::CalcTextSize(count.c_str()).x + ImGui::GetStyle().ItemSpacing.x * 2;
  ImGui::SetNextItemWidth(std::max(ImGui::GetFontSize() * 6, ImGui::GetContentRegionAvail().x - count_width));
  if (state.focus_filter) ImGui::SetKeyboardFocusHere();
  state.focus_filter = false;
  if (ImGui::InputTextWithHint("##filter", "Filter: name, library, dtype, device or badge", &state.filter,
                               ImGuiInputTextFlags_EscapeClearsAll)) {
    TableQuery query = model.query();
    query.filter = state.filter;
    commands.push(command::AskRows{std::move(query)});
  }
  explain(
      "All words must match. name: library: dtype: shape: device: badge: look in one place only; a minus excludes. "
      "Example: torch badge:shares -float64");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  words(count, context.theme.dim);
}

}  // namespace

void draw_tensor_table_panel(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands) {
  state.rows_drawn = 0;
  if (ImGui::Begin(kTensorsWindow)) {
    if (!context.has_tensors() || model.index().get() != context.index) {
      draw_empty_state(context, commands);
    } else {
      move_selection(context, state, model, commands);
      draw_filter(context, state, model, commands);
      constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable | ImGuiTableFlags_Hideable |
                              ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate | ImGuiTableFlags_RowBg |
                              ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV |
                              ImGuiTableFlags_NoSavedSettings;
      // The inner width leaves the badges room to be read; the table scrolls sideways below that.
      const float least = ImGui::GetFontSize() * 60;
      if (ImGui::BeginTable("tensors", static_cast<int>(std::size(kColumns)), kFlags, {0, 0},
                            std::max(least, ImGui::GetContentRegionAvail().x))) {
        setup_columns();
        read_sort(model, commands);
        draw_headers();
        // Arrow keys are ours here: ImGui's own navigation would walk a second cursor through the rows.
        ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
        draw_rows(context, state, model, commands);
        ImGui::PopItemFlag();
        ImGui::EndTable();
      }
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
