#include "app/panels/tensors/table_keys.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/panels/tensors/table_cells.h"
#include "app/panels/tensors/table_query.h"

namespace dlscope::app {
namespace {

// The tensor that the keyboard selects at a line: its own, or the first one of a folded section.
std::uint32_t stop_at(const TensorTableModel& model, std::size_t line) {
  const TableLine& there = model.line(line);
  if (there.row != core::kNone32) return model.tensor_at(line);
  const TableSection& section = model.order()->sections[there.section];
  if (!section.folded) return core::kNone32;
  for (std::uint32_t i = section.first; i < section.first + section.count; ++i) {
    if (model.order()->rows[i] < model.index()->size()) return model.order()->rows[i];
  }
  return core::kNone32;
}

// Skips heads of open sections and gone tensors, in the direction of the step, else backwards.
std::uint32_t next_stop(const TensorTableModel& model, std::ptrdiff_t from, std::ptrdiff_t step) {
  const auto last = static_cast<std::ptrdiff_t>(model.line_count()) - 1;
  const std::ptrdiff_t target = std::clamp<std::ptrdiff_t>(from + step, 0, last);
  for (const std::ptrdiff_t way : {step > 0 ? 1 : -1, step > 0 ? -1 : 1}) {
    for (std::ptrdiff_t line = target; line >= 0 && line <= last; line += way) {
      const std::uint32_t stop = stop_at(model, static_cast<std::size_t>(line));
      if (stop != core::kNone32) return stop;
    }
  }
  return core::kNone32;
}

std::ptrdiff_t step_of_keys(const TensorTableState& state, const TensorTableModel& model) {
  const std::ptrdiff_t page = std::max(1, state.rows_drawn - 2), all = static_cast<std::ptrdiff_t>(model.line_count());
  const std::array<std::pair<ImGuiKey, std::ptrdiff_t>, 6> keys{{{ImGuiKey_DownArrow, 1},
                                                                 {ImGuiKey_UpArrow, -1},
                                                                 {ImGuiKey_PageDown, page},
                                                                 {ImGuiKey_PageUp, -page},
                                                                 {ImGuiKey_End, all},
                                                                 {ImGuiKey_Home, -all}}};
  for (const auto& [key, step] : keys) {
    if (ImGui::IsKeyPressed(key)) return step;
  }
  return 0;
}

void fold_by_keys(const FrameContext& context, const TensorTableModel& model, Commands& commands) {
  const bool left = ImGui::IsKeyPressed(ImGuiKey_LeftArrow, false), right = ImGui::IsKeyPressed(ImGuiKey_RightArrow, false);
  if (model.query().view == TableView::flat || left == right) return;
  if (ImGui::GetIO().KeyCtrl)
    return ask_rows(model, commands, [&](TableQuery& query) { query.folding = {.all = left, .except = {}}; });
  const auto line = model.row_of(context.selected);
  if (!line) return;
  const std::uint32_t section = model.line(*line).section;
  if (section != core::kNone32 && model.order()->sections[section].has_head()) ask_fold(model, section, left, commands);
}

void copy_rows(const FrameContext& context, const TensorTableState& state) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t id : {context.selected, context.compared}) {
    if (id != core::kNone32) rows.push_back(id);
  }
  std::vector<TableColumn> columns;
  for (const ColumnInfo& column : table_columns()) {
    if (state.shown[static_cast<std::size_t>(column.column)]) columns.push_back(column.column);
  }
  if (!rows.empty()) ImGui::SetClipboardText(copied_rows(*context.index, rows, columns, rows.size() > 1).c_str());
}

}  // namespace

void handle_table_keys(const FrameContext& context, TensorTableState& state, const TensorTableModel& model, Commands& commands) {
  constexpr auto kNotItsMenus = ImGuiFocusedFlags_ChildWindows | ImGuiFocusedFlags_NoPopupHierarchy;
  if (!ImGui::IsWindowFocused(kNotItsMenus) || ImGui::GetIO().WantTextInput || model.line_count() == 0) return;
  if (ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_C)) copy_rows(context, state);
  fold_by_keys(context, model, commands);
  const std::ptrdiff_t step = step_of_keys(state, model);
  if (step == 0) return;
  const auto current = model.row_of(context.selected);
  const auto from =
      current ? static_cast<std::ptrdiff_t>(*current) : (step > 0 ? -1 : static_cast<std::ptrdiff_t>(model.line_count()));
  const std::uint32_t stop = next_stop(model, from, step);
  if (stop == core::kNone32) return;
  state.scroll_to = stop;
  commands.push(command::SelectTensor{stop});
}

}  // namespace dlscope::app
