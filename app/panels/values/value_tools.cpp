#include "app/panels/values/value_tools.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>

#include "app/models/actions/key_hints.h"
#include "app/models/focus/focus_text.h"
#include "app/models/text/format.h"
#include "app/panels/values/value_cells.h"
#include "app/panels/values/value_table.h"
#include "app/widgets/marks.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

constexpr const char* kStyles[] = {"automatic", "decimals", "hex", "bits"};

float style_width() { return ImGui::GetFontSize() * 7; }
float digits_width() { return ImGui::GetFontSize() * 6; }

bool has_digits(const ValuesPanelState& state, const core::TensorRecord& tensor) {
  if (state.format.style != NumberStyle::automatic && state.format.style != NumberStyle::decimals) return false;
  const bool is_shown = state.grid && &state.grid->tensor() == &tensor;
  const core::DType dtype = is_shown ? core::numbers_of(state.grid->snapshot(), tensor).dtype : tensor.dtype;
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  return core::dtype_is_known(dtype) && code != core::DTypeCode::int_ && code != core::DTypeCode::uint &&
         code != core::DTypeCode::bool_;
}

constexpr const char* kAsStored = "as stored";
bool has_sign_bits(const ValuesPanelState& state) { return state.grid && state.grid->signs().any(); }
float as_stored_width() {
  return ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + ImGui::CalcTextSize(kAsStored).x;
}

void write_anew(ValuesPanelState& state) {
  state.cells.clear();
  state.widest = 0;
}

// Only where the line has room for it: the menu of a cell has it, too.
void draw_slice_button(const FrameContext& context, ValuesPanelState& state) {
  const float end = ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + button_width("Slice");
  // Of the tensor: a field's sub-array has axes of its own, which are no part of a slice.
  if (context.index->tensor(context.selected).rank == 0 || end > ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x) return;
  ImGui::SameLine();
  if (ImGui::Button("Slice")) state.slice_open = !state.slice_open;
  explain("A field for a part of the tensor: only that is shown, copied, handed over and exported.");
}

void start_walk(const FrameContext& context, ValuesPanelState& state, bool forward, core::SearchedValue sought,
                Commands& commands) {
  if (const std::string why = why_not_searched(context, state); !why.empty()) {
    state.said = why;
    return;
  }
  auto task = state.walk.start(context.values.snapshot(), context.values.part.tensor, context.values.value_at(context.pinned),
                               forward, sought);
  state.said = state.walk.said();
  if (task) commands.push(command::ReadValues{std::move(*task)});
}

void stop_walk(ValuesPanelState& state) {
  if (!state.walk.walking()) return;
  state.walk.stop();
  state.said = state.walk.said();
}

void take_walk(const FrameContext& context, ValuesPanelState& state, const ValueAnswer& answer, Commands& commands) {
  if (const std::string why = why_not_searched(context, state); !why.empty()) {
    state.walk.stop();
    state.said = why;
    return;
  }
  SpecialWalk::Step step = state.walk.take(answer);
  state.said = state.walk.said();
  if (step.found) commands.push(command::Pin{context.values.focus_on(*step.found)});
  if (step.next) commands.push(command::ReadValues{std::move(*step.next)});
}

// What was copied may not be what the tensor holds: " They are the last known ones."; "" when it is.
const char* doubt_of_copy(const FrameContext& context, const ValueTask& task) {
  if (task.kept) return " They are the last known ones.";
  const bool in_index = context.index != nullptr && context.index->snapshot == task.snapshot;
  if (!in_index && context.values.snapshot() != task.snapshot) return "";
  return context.bytes_are_its_own(in_index ? task.tensor : context.values.tensor) ? "" : " They may be other data by now.";
}

void take_copy(const FrameContext& context, ValuesPanelState& state, const ValueAnswer& answer) {
  ImGui::SetClipboardText(answer.copied.text.c_str());
  state.said =
      fmt::format("Copied {} as {}.", counted(answer.copied.elements, "value", "values"), copy_format_name(answer.task.format));
  state.said += doubt_of_copy(context, answer.task);
  if (!answer.copied.note.empty()) state.said += " " + answer.copied.note;
}

// Copies the selection, or without one the pinned value.
void copy_most_useful(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands) {
  if (state.range) return ask_copy(context, state, state.copy_format, *state.range, commands);
  // The pin takes precedence: the mouse may rest anywhere.
  const Focus& focus = context.pinned.on_tensor() ? context.pinned : context.hover;
  const auto value = context.values.value_at(focus);
  if (!value) return;
  const auto cell = shown_value(context, state, grid, *value);
  if (!cell) return;
  ImGui::SetClipboardText(cell->text.c_str());
  state.said = "Copied " + shortened(cell->text, 40) + ".";
}

}  // namespace

const char* why_not_searched(const FrameContext& context, const ValuesPanelState& state) {
  return shown_kept(context, state) != nullptr
             ? "Not searched: the values shown are those of then. Choose “present bytes” to search what is there now."
             : "";
}

void draw_value_tools(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor) {
  int style = static_cast<int>(state.format.style);
  ImGui::SetNextItemWidth(style_width());
  if (ImGui::Combo("##style", &style, kStyles, IM_ARRAYSIZE(kStyles))) {
    state.format = {static_cast<NumberStyle>(style), -1, state.format.as_stored};
    write_anew(state);
  }
  explain("How the numbers are written. Copies are exact, whatever is chosen here.");
  if (has_digits(state, tensor)) {
    same_line_for(digits_width());
    ImGui::SetNextItemWidth(digits_width());
    int digits = state.format.digits;
    if (ImGui::SliderInt("##digits", &digits, -1, kMaxDigits, digits < 0 ? "all digits" : "%d digits",
                         ImGuiSliderFlags_AlwaysClamp)) {
      state.format.digits = digits;
      write_anew(state);
    }
    explain(state.format.style == NumberStyle::decimals ? "Digits after the point." : "Digits that count; all: until exact.");
  }
  if (has_sign_bits(state)) {
    same_line_for(as_stored_width());
    if (ImGui::Checkbox(kAsStored, &state.format.as_stored)) write_anew(state);
    explain(
        "The library notes beside the tensor that its values are conjugated or negated, and leaves the bytes as they are. Off: "
        "the values as the library means them. On: as the bytes say.");
  }
  if (state.go_to_open) return;
  same_line_for(button_width("Go to"));
  if (ImGui::Button("Go to")) open_go_to(state);
  explain([&] { return with_keys(context.keys, ActionId::values_go_to, "an index, an address, a name, or the elements equal to a value (= 1.5)."); });
  draw_slice_button(context, state);
}

float value_tools_width(const ValuesPanelState& state, const core::TensorRecord& tensor) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float digits = has_digits(state, tensor) ? digits_width() + gap : 0;
  const float stored = has_sign_bits(state) ? as_stored_width() + gap : 0;
  return style_width() + digits + stored + (state.go_to_open ? 0 : gap + button_width("Go to"));
}

void carry_out_value_actions(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, Commands& commands) {
  const CellRange all{{0, 0}, {grid.rows() - 1, grid.columns() - 1}};
  using enum core::SearchedValue;
  if (context.asked(ActionId::values_next_special)) start_walk(context, state, true, non_finite, commands);
  if (context.asked(ActionId::values_previous_special)) start_walk(context, state, false, non_finite, commands);
  if (context.asked(ActionId::values_next_subnormal)) start_walk(context, state, true, subnormal, commands);
  if (context.asked(ActionId::values_select_all)) state.range = all;
  if (context.asked(ActionId::values_copy)) copy_most_useful(context, state, grid, commands);
  const std::pair<ActionId, CopyFormat> copies[] = {{ActionId::values_copy_python, CopyFormat::python},
                                                    {ActionId::values_copy_numpy, CopyFormat::numpy},
                                                    {ActionId::values_copy_c, CopyFormat::c},
                                                    {ActionId::values_copy_csv, CopyFormat::csv},
                                                    {ActionId::values_copy_text, CopyFormat::text}};
  for (const auto& [id, format] : copies) {
    if (context.asked(id)) ask_copy(context, state, format, state.range.value_or(all), commands);
  }
  const std::pair<ActionId, core::TensorFileFormat> exports[] = {
      {ActionId::values_export_csv, core::TensorFileFormat::csv},
      {ActionId::values_export_npy, core::TensorFileFormat::npy},
      {ActionId::values_export_safetensors, core::TensorFileFormat::safetensors}};
  for (const auto& [id, format] : exports) {
    if (context.asked(id)) commands.push(command::ExportTensor{format, state.mapping});
  }
  if (context.asked(ActionId::deselect)) stop_walk(state);
}

void take_value_answers(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  for (const ValueAnswer& answer : std::exchange(state.answers, {})) {
    if (answer.nobody) {
      state.walk.stop();
      if (answer.task.kind == ValueTaskKind::sum) state.sum.clear();
      state.said = "There is no process to read from.";
    } else if (answer.task.kind == ValueTaskKind::copy) {
      take_copy(context, state, answer);
    } else if (answer.task.snapshot != context.values.snapshot() || answer.task.tensor != context.values.part.tensor) {
      if (answer.task.kind == ValueTaskKind::search) state.walk.stop();  // the tensor is no longer shown
    } else if (answer.task.kind == ValueTaskKind::sum) {
      if (state.range && state.sum_asked == answer.task.range) state.sum = answer.sum;
    } else {
      take_walk(context, state, answer, commands);
    }
  }
}

void ask_for_sum(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  if (!state.range) return state.sum_of.reset();
  const bool running = context.host.state() == HostState::running || context.host.state() == HostState::stopping;
  const SummedCells wanted{.range = *state.range,
                           .generation = context.generation,
                           .moment = context.moment,
                           .kept = shown_kept(context, state) != nullptr,
                           .as_stored = state.format.as_stored,
                           .changes_seen = state.changes_seen,
                           .second = running ? static_cast<std::uint64_t>(ImGui::GetTime()) : 0};
  if (state.sum_of == wanted) return;
  state.sum_of = wanted;
  ValueTask task = task_on_cells(context, state, ValueTaskKind::sum, *state.range);
  state.sum_asked = task.range;
  commands.push(command::ReadValues{std::move(task)});
}

std::string value_news(const ValuesPanelState& state) {
  std::string text = state.range ? state.sum : std::string();
  const auto status = state.fetched.status;
  if (status == core::MemoryReader::ReadStatus::stale) text += "Reading … these values are from a moment ago.   ";
  if (status == core::MemoryReader::ReadStatus::pending) text += "Reading …   ";
  if (status == core::MemoryReader::ReadStatus::hung) text += "What is hatched is not readable: the memory does not answer.   ";
  if (status == core::MemoryReader::ReadStatus::skipped)
    text += "What is hatched was not read: other memory does not answer.   ";
  if (!state.said.empty()) text += (text.empty() ? "" : "   ") + state.said;
  return text;
}

void draw_value_footer(const FrameContext& context, const ValuesPanelState& state) {
  ImGui::SetCursorPosY(ImGui::GetWindowHeight() - ImGui::GetStyle().WindowPadding.y - ImGui::GetTextLineHeight());
  const std::string text = value_news(state);
  draw_text(text, context.theme.dim);
  explain(text);
}

}  // namespace dlscope::app
