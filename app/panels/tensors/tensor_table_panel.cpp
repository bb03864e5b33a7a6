#include "app/panels/tensors/tensor_table_panel.h"

#include <fmt/core.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/tensors/empty_state.h"
#include "app/panels/tensors/table_cells.h"
#include "app/panels/tensors/table_keys.h"
#include "app/panels/tensors/table_query.h"
#include "app/panels/tensors/table_tools.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/tooltip.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kHeldName = 32, kFileName = 48, kMostNameless = 4;

// The name of the shown tensor file, and the way back to the script's tensors.
void draw_file_line(const FrameContext& context, Commands& commands) {
  const std::string_view name = context.file.substr(context.file.rfind('/') + 1);  // npos + 1 is 0
  ImGui::AlignTextToFramePadding();
  draw_text(LineText("File {}", shortened(name, kFileName)), context.theme.accent);
  explain([&] { return std::string(context.file) + "\n" + moment_meaning(context.moment); });
  if (context.host.state() == HostState::absent) return;  // there is no script
  const Action& back = action(ActionId::tensors_leave);
  same_line_for(button_width(back.title));
  if (ImGui::Button(back.title)) commands.push(command::LeaveFile{});
  explain(back.meaning);
}

// Held tensors that have no row, because no name leads to them.
void draw_nameless(const FrameContext& context, std::span<const NamelessLease> nameless, Commands& commands) {
  const std::size_t shown = std::min(nameless.size(), kMostNameless);
  for (const NamelessLease& each : nameless.first(shown)) {
    ImGui::PushID(static_cast<int>(each.lease));
    const std::string_view was = each.name.empty() ? std::string_view("A tensor") : std::string_view(each.name);
    draw_wrapped_text(LineText("{}{}{}: held by dlscope, no name of the program leads to it", shortened(was, kHeldName),
                               each.bytes != 0 ? ", " : "", each.bytes != 0 ? human_bytes(each.bytes) : std::string()),
                      context.theme.warn);
    same_line_for(button_width("Release"));
    if (small_button("Release")) commands.push(command::ReleaseMemory{each.lease, each.name});
    explain("Its memory stays until you release it, although the newest scan found no name that leads to it.");
    ImGui::PopID();
  }
  if (shown < nameless.size()) draw_text(LineText("and {} more of these", nameless.size() - shown), context.theme.warn);
}

void setup_columns(const ColumnSet& shown) {
  for (const ColumnInfo& column : table_columns()) {
    ImGuiTableColumnFlags flags = column.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
    if (!shown[static_cast<std::size_t>(column.column)]) flags |= ImGuiTableColumnFlags_Disabled;
    ImGui::TableSetupColumn(column.title, flags, column.width * ImGui::GetFontSize(), static_cast<ImGuiID>(column.column));
  }
  ImGui::TableSetupScrollFreeze(1, 1);
}

// Right click on a header: Dear ImGui's entries for widths and order, and the choice of columns.
void draw_header_menu(TensorTableState& state) {
  ImGuiTable* table = ImGui::GetCurrentTable();
  table->DisableDefaultContextMenu = true;
  if (!ImGui::TableBeginContextMenuPopup(table)) return;
  ImGui::TableDrawDefaultContextMenu(table, ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable);
  ImGui::Separator();
  draw_column_choice(state);
  ImGui::EndPopup();
}

void draw_headers() {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const ColumnInfo& column : table_columns()) {
    const auto i = static_cast<int>(column.column);
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::PushID(i);
    ImGui::TableHeader(column.title);
    if (ImGui::IsItemHovered())
      explain_head(fmt::format("{}\nClick: sort. Shift+click: sort by this as well. Right click: columns.", column.meaning));
    ImGui::PopID();
  }
}

// A click on a header that sorts becomes a query; the rows come later.
void read_sort(const TensorTableModel& model, Commands& commands) {
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  specs->SpecsDirty = false;
  ask_rows(model, commands, [&](TableQuery& query) {
    query.sort.clear();
    for (int i = 0; i < specs->SpecsCount; ++i)
      query.sort.push_back({static_cast<TableColumn>(specs->Specs[i].ColumnUserID),
                            specs->Specs[i].SortDirection == ImGuiSortDirection_Descending});
  });
}

// All lines have the same height, so any line can be scrolled to without drawing the ones before it.
bool line_is_seen(std::size_t line, float height) {
  const float top = static_cast<float>(line) * height, now = ImGui::GetScrollY();
  return top >= now && top <= now + ImGui::GetWindowHeight() - height * 3;
}
void scroll_to_line(std::size_t line, float height) {
  if (line_is_seen(line, height)) return;
  const float view = ImGui::GetWindowHeight() - height * 2;
  const float lines_above = std::floor(view * 0.5F / height);  // whole lines, so that the header cuts none
  ImGui::SetScrollY(std::max(0.0F, (static_cast<float>(line) - lines_above) * height));
}

// 0: takes the remaining height. At least the header and two rows: in a panel that is lower, the panel scrolls.
float least_height() {
  const float row = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  const float least = row * 3 + ImGui::GetStyle().ScrollbarSize;
  return ImGui::GetContentRegionAvail().y < least ? least : 0;
}

void draw_lines(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands) {
  const float height = ImGui::GetTextLineHeight() + ImGui::GetStyle().CellPadding.y * 2;
  // When the table becomes lower, the selected row stays visible.
  const bool other_height = std::exchange(state.view_height, ImGui::GetWindowHeight()) != ImGui::GetWindowHeight();
  if (other_height && state.selection_seen && state.scroll_to == core::kNone32) state.scroll_to = context.selected;
  const auto selected = context.selected != core::kNone32 ? model.row_of(context.selected) : std::nullopt;
  state.selection_seen = selected && (state.scroll_to == context.selected || line_is_seen(*selected, height));
  if (state.scroll_to != core::kNone32) {
    if (const auto line = model.row_of(state.scroll_to)) scroll_to_line(*line, height);
    state.scroll_to = core::kNone32;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model.line_count()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i, ++state.rows_drawn) {
      draw_table_line(context, model, model.line(static_cast<std::size_t>(i)), commands);
    }
  }
}

void draw_table(const FrameContext& context, TensorTableState& state, TensorTableModel& model, Commands& commands) {
  constexpr auto kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable | ImGuiTableFlags_Sortable |
                          ImGuiTableFlags_SortTristate | ImGuiTableFlags_SortMulti | ImGuiTableFlags_RowBg |
                          ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV;
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
  take_fit_request(state.widths);
  const ColumnPlan plan = plan_columns(context, state.widths, model, state.chosen, room);
  state.shown = plan.shown;
  const float width = std::max(room, plan.total);
  if (!ImGui::BeginTable("tensors", static_cast<int>(kTableColumns), kFlags, {0, least_height()}, width)) return;
  setup_columns(state.shown);
  apply_widths(state.widths, plan);
  read_sort(model, commands);
  draw_headers();
  draw_header_menu(state);
  // The arrow keys are handled here: ImGui's own navigation would move a second cursor.
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);
  draw_lines(context, state, model, commands);
  ImGui::PopItemFlag();
  ImGui::EndTable();
}

void draw_nothing_matches(const FrameContext& context, TensorTableState& state, const TensorTableModel& model,
                          Commands& commands) {
  draw_text("No tensor matches the filter.", context.theme.dim);
  if (!ImGui::Button("Show all")) return;
  state.filter.clear();
  ask_rows(model, commands, [](TableQuery& query) { query.filter.clear(); });
}

}  // namespace

void draw_tensor_table_panel(const FrameContext& context, TensorTableState& state, TensorTableModel& model,
                             std::span<const NamelessLease> nameless, Commands& commands) {
  const int drawn_before = std::exchange(state.rows_drawn, 0);
  if (ImGui::Begin(title_of(ActionContext::tensors))) {
    if (!context.file.empty()) draw_file_line(context, commands);
    draw_nameless(context, nameless, commands);
    if (context.moment.since == Since::looked_again && !context.has_tensors() && context.index->marks.gone.empty()) {
      draw_text("There were no tensors then.", context.theme.dim);
    } else if (!context.file.empty() && !context.has_tensors()) {
      draw_text("There is no tensor in it.", context.theme.dim);
    } else if (!context.has_tensors() && (context.index == nullptr || context.index->marks.gone.empty())) {
      draw_empty_state(context, commands);
    } else if (model.index().get() == context.index) {
      state.rows_drawn = drawn_before;
      handle_table_keys(context, state, model, commands);
      state.rows_drawn = 0;
      draw_table_tools(context, state, model, commands);
      if (model.line_count() == 0)
        draw_nothing_matches(context, state, model, commands);
      else
        draw_table(context, state, model, commands);
    }
  }
  ImGui::End();
}

}  // namespace dlscope::app
