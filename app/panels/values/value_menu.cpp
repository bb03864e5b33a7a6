// The context menu of the values view, and copying.
#include <fmt/core.h>
#include <imgui.h>

#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/text/element_description.h"
#include "app/models/text/format.h"
#include "app/models/values/shown_slice.h"
#include "app/panels/tensor_marks.h"
#include "app/panels/values/value_cells.h"
#include "app/panels/values/value_table.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr CopyFormat kFormats[] = {CopyFormat::python, CopyFormat::numpy, CopyFormat::c, CopyFormat::csv, CopyFormat::text};
constexpr std::size_t kPreview = 40;

// A menu entry that copies `text` and shows the start of it. why_not: why there is no text.
void copy_item(const char* label, const std::string& text, std::string_view why_not = {}) {
  if (ImGui::MenuItem(label, shortened(text, kPreview).c_str(), false, !text.empty())) ImGui::SetClipboardText(text.c_str());
  if (text.empty()) explain(why_not);
}

CellRange whole_row(const ValueGrid& grid, std::uint64_t row) { return {{row, 0}, {row, grid.columns() - 1}}; }

CellRange visible(const ValuesPanelState& state) {
  return {{state.window.row, state.window.column},
          {state.window.row + state.window.rows - 1, state.window.column + state.window.columns - 1}};
}

// Of the selected cells, else of what the table shows.
void draw_slice_items(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands) {
  if (grid.layout().rank() == 0) return;
  const CellRange all{{0, 0}, {grid.rows() - 1, grid.columns() - 1}};
  auto cells = shown_slice(grid.layout(), state.mapping, state.range.value_or(all));
  // A slice is of the tensor, which has no axes of a field's sub-array.
  const auto whole = context.index->snapshot->shape(context.index->tensor(context.selected));
  std::erase_if(cells, [&](const core::AxisSlice& one) { return one.axis >= whole.size(); });
  if (whole.empty()) return;
  const std::string slice = core::slice_expression("", whole, cells);
  if (context.slice.text.empty() && ImGui::MenuItem("Show a slice …")) {
    state.slice_open = true;
    state.show_as_open = state.head >= HeadForm::line;  // where the head is folded, the field is in its popup
  }
  const bool of_records = context.values.field != core::kNone16;
  if (state.range && ImGui::MenuItem(of_records ? "Show only the selected records" : "Show only the selection", slice.c_str()))
    commands.push(command::ChooseSlice{slice});
  if (ImGui::MenuItem(of_records    ? "Copy or hand over these records …"
                      : state.range ? "Copy or hand over the selection …"
                                    : "Copy or hand over what is shown …",
                      slice.c_str()))
    commands.push(command::ChooseSlice{slice, true});
  if (context.slice.any() && ImGui::MenuItem("Show all of the tensor")) commands.push(command::ChooseSlice{});
}

void draw_export_menu(const ValuesPanelState& state, const ValueGrid& grid, Commands& commands) {
  constexpr std::pair<const char*, core::TensorFileFormat> kFiles[] = {{"CSV", core::TensorFileFormat::csv},
                                                                       {".npy", core::TensorFileFormat::npy},
                                                                       {".safetensors", core::TensorFileFormat::safetensors}};
  if (!ImGui::BeginMenu(!state.mapping.slice.empty()   ? "Export this slice as"
                        : grid.layout().rank() > 2 ? "Export the slice as"
                                                   : "Export the tensor as")) return;
  for (const auto& [label, format] : kFiles) {
    if (ImGui::MenuItem(label)) commands.push(command::ExportTensor{format, state.mapping});
  }
  ImGui::EndMenu();
}

}  // namespace

std::optional<GridCell> shown_value(const FrameContext& context, const ValuesPanelState& state, const ValueGrid& grid,
                                    std::uint64_t element) {
  const KeptTable* const kept = shown_kept(context, state);
  if (kept == nullptr) {
    if (context.reader == nullptr) return std::nullopt;
    const core::TensorRecord& tensor = context.values.record();
    auto cell = read_element(*context.values.snapshot(), tensor, element, *context.reader, state.format);
    return cell && cell->readable ? std::move(cell) : std::nullopt;
  }
  const auto at = grid.place(element);
  if (!at || grid.element(at->row, at->column) != element) return std::nullopt;  // in another slice
  CellBytes fetched;
  take_kept(*kept, {at->row, at->column, 1, 1}, grid.mapping().wrap, fetched);
  std::vector<GridCell> cells;
  grid.write(fetched, state.format, cells);
  return cells[0].readable ? std::optional(std::move(cells[0])) : std::nullopt;
}

ValueTask task_on_cells(const FrameContext& context, const ValuesPanelState& state, ValueTaskKind kind, CellRange range) {
  ValueTask task;
  task.kind = kind;
  task.snapshot = context.values.snapshot();
  task.tensor = context.values.part.tensor;
  const SliceView shown(context.values.layout(), state.mapping.slice);
  const auto [mapping, anchor, head] = unwrapped(shown.layout(), state.mapping, range.anchor, range.head);
  task.mapping = mapping;
  task.range = {anchor, head};
  task.as_stored = state.format.as_stored;
  if (const KeptTable* const kept = shown_kept(context, state)) task.kept = std::make_shared<const KeptTable>(*kept);
  return task;
}

void ask_copy(const FrameContext& context, ValuesPanelState& state, CopyFormat format, CellRange range, Commands& commands) {
  state.copy_format = format;
  ValueTask task = task_on_cells(context, state, ValueTaskKind::copy, range);
  task.format = format;
  commands.push(command::ReadValues{std::move(task)});
}

void draw_value_menu(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands) {
  if (!ImGui::BeginPopup("cell menu")) return;
  const core::Snapshot& snapshot = *context.values.snapshot();
  const core::TensorRecord& tensor = context.values.record();
  const CellPlace at = state.menu_cell;
  if (at.row < grid.rows() && at.column < grid.columns() && grid.has(at.row, at.column)) {
    const std::uint64_t element = grid.element(at.row, at.column);
    const auto shown = shown_value(context, state, grid, element);
    copy_item("Copy the value", shown ? shown->text : std::string());
    copy_item("Copy the index", index_text(grid.layout(), element));
    copy_item("Copy the address", plain_address(grid.bytes(at.row, at.column).begin));
    const std::string owner = owner_beside_name(context, *context.index->snapshot, context.index->tensor(context.selected));
    const std::string whose = owner.empty() ? owner : " (" + owner + ")";
    copy_item(("Copy as a Python expression" + whose).c_str(), python_expression(snapshot, tensor, element), kNoExpression);
    copy_item("Copy as a C expression", c_expression(snapshot, tensor, element));
    if (ImGui::MenuItem("Show its bytes")) {
      commands.push(command::Pin{context.values.focus_on(element)});
      commands.push(command::Ask{ActionId::hex_selected});
    }
    if (ImGui::MenuItem("Copy the row as Python"))
      ask_copy(context, state, CopyFormat::python, whole_row(grid, at.row), commands);
    ImGui::Separator();
  }
  const bool selected = state.range.has_value();
  for (const CopyFormat format : kFormats) {
    const std::string label =
        fmt::format("Copy {} as {}", selected ? "the selection" : "what is visible", copy_format_name(format));
    if (ImGui::MenuItem(label.c_str())) ask_copy(context, state, format, state.range.value_or(visible(state)), commands);
  }
  draw_export_menu(state, grid, commands);
  draw_slice_items(context, state, grid, commands);
  if (state.head >= HeadForm::line && ImGui::MenuItem("Show as …")) state.show_as_open = true;
  if (ImGui::MenuItem("Select all")) state.range = CellRange{{0, 0}, {grid.rows() - 1, grid.columns() - 1}};
  ImGui::EndPopup();
}

}  // namespace dlscope::app
