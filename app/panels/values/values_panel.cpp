#include "app/panels/values/values_panel.h"

#include <fmt/core.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/tensors/unreadable_values.h"
#include "app/models/text/format.h"
#include "app/models/values/shown_slice.h"
#include "app/panels/nothing_selected.h"
#include "app/panels/slice_field.h"
#include "app/panels/values/axis_pickers.h"
#include "app/panels/values/field_picker.h"
#include "app/panels/values/value_cells.h"
#include "app/panels/values/value_head.h"
#include "app/panels/values/value_table.h"
#include "app/panels/values/value_tools.h"
#include "app/widgets/marks.h"
#include "app/widgets/value_marks.h"
#include "core/inventory/tensor_sign_bits.h"

namespace dlscope::app {
namespace {

constexpr int kLiveMilliseconds = 100, kFlashMilliseconds = 30;

// Forgets the cells of another view of memory, which cannot be compared.
void forget_cells(ValuesPanelState& state) {
  state.fetched = state.before = state.last_own = {};
  state.cells.clear();
  state.changes.clear();
  state.range.reset();
  state.dragging = false;
}

// What makes other values of the same bytes though address, dtype, shape and strides are the same: the fields of an item, as all
// items of one size have one dtype, and the signs that are only noted beside them.
void append_reading(const core::Snapshot& snapshot, const core::TensorRecord& tensor, std::vector<std::int64_t>& to) {
  const core::SignBits signs = core::sign_bits_of(snapshot, tensor);
  to.insert(to.end(), {tensor.item_bits, signs.conjugate ? 1 : 0, signs.negate ? 1 : 0});
  if (tensor.item_type == core::kNone16) return;
  for (const core::ItemFieldRecord& field : snapshot.slice(snapshot.item_fields, snapshot.item_types[tensor.item_type].fields)) {
    const core::FieldLayout& is = field.layout;
    const auto kind = static_cast<std::int64_t>(is.kind), unit = static_cast<std::int64_t>(is.unit);
    to.insert(to.end(), {is.offset, is.bytes, is.count, is.multiple, is.dtype.code, is.dtype.bits, is.dtype.lanes, kind, unit,
                         is.swapped ? 1 : 0});
  }
}

// A new tensor starts at its first element; the same name in a new snapshot keeps its place when the rank is equal and, when its
// memory is the same, shows changes since then.
void follow_selection(const FrameContext& context, ValuesPanelState& state) {
  const std::uint16_t field = context.values.field;
  if (state.generation == context.generation && state.tensor == context.selected && state.field == field) return;
  const core::Snapshot& snapshot = *context.values.snapshot();
  const core::TensorRecord& tensor = context.values.record();
  const auto shape = snapshot.shape(tensor), strides = snapshot.stride_bits(tensor);
  const bool same_name = state.name == snapshot.name(tensor);
  ShownView view{.address = tensor.address, .dtype = tensor.dtype, .dims = {shape.begin(), shape.end()}};
  view.dims.insert(view.dims.end(), strides.begin(), strides.end());
  append_reading(snapshot, tensor, view.dims);
  if (!same_name || view != state.view) {
    forget_cells(state);
    state.widest = 0;
  }
  // What a search found in another tensor, or in this one before code ran, is not said of what is here now.
  state.said.clear();
  state.walk.forget();
  state.go_to_problem.clear();
  if (!same_name) {
    state.mapping = default_mapping(tensor.rank);
    state.first_row = state.first_column = 0;
  }
  fit_mapping(shape, state.mapping);
  state.seen_mapping = state.mapping;
  state.generation = context.generation;
  state.tensor = context.selected;
  state.field = field;
  state.name = snapshot.name(tensor);
  state.view = std::move(view);
}

// Shows the slice that is chosen of the selected tensor.
void follow_slice(const FrameContext& context, ValuesPanelState& state) {
  const core::LayoutView whole = context.values.layout();
  if (state.mapping.slice != context.slice.axes) {
    state.mapping = mapping_of_slice(state.mapping, whole.rank(), context.slice.axes);
    state.said.clear();
    state.first_row = state.first_column = 0;
    state.widest = 0;
  }
  fit_mapping(SliceView(whole, state.mapping.slice).layout().shape, state.mapping);
}

// Stores the kept values with their moment, and takes those of the shown one.
void follow_moment(const FrameContext& context, ValuesPanelState& state) {
  if (std::exchange(state.kept_generation, context.generation) == context.generation) return;
  const std::uint64_t before = std::exchange(state.kept_moment, context.history.shown);
  if (before != 0) state.kept_before.put(before, std::move(state.kept));
  state.kept = state.kept_moment != 0 ? state.kept_before.take(state.kept_moment) : KeptValues();
}

constexpr const char* kOutsideSlice = " is outside the slice that is shown.";

// Sets the fixed axes to the indices of a new pin; the cells are scrolled to it when they are drawn.
void follow_pin(const FrameContext& context, ValuesPanelState& state) {
  if (context.pinned == state.seen_pin) return;
  const auto pinned = context.values.value_at(context.pinned);
  if (!pinned) return;
  const core::LayoutView whole = context.values.layout();
  const SliceView shown(whole, state.mapping.slice);
  const auto element = shown.in_slice(*pinned);
  if (element)
    show_element(shown.layout(), state.mapping, *element);
  if (!element)
    state.said = index_text(whole, *pinned) + kOutsideSlice;
  else if (state.said.ends_with(kOutsideSlice))
    state.said.clear();
}

// Lays out a vector as the person chose; wrapped to the available width.
void lay_vector(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor) {
  if (tensor.rank != 1) return;
  const bool stands = state.vector_form == VectorForm::column;
  state.mapping.row = stands ? 0 : -1;
  state.mapping.column = stands ? -1 : 0;
  state.mapping.wrap = 0;
  if (state.vector_form != VectorForm::wrapped) return;
  ImGui::PushFont(context.fonts.mono, ImGui::GetStyle().FontSizeBase * state.zoom);
  const SliceView shown(context.values.layout(), state.mapping.slice);
  state.mapping.wrap = wrap_for_room(context, state, shown.elements());
  ImGui::PopFont();
}

// Why there are no numbers, as a sentence; "": there are.
std::string obstacle(const FrameContext& context, const ValuesPanelState& state, const core::TensorRecord& tensor) {
  const std::string why = why_no_values(*context.values.snapshot(), tensor);
  if (!why.empty()) return "The values cannot be shown. " + why;
  if (context.slice.any() && SliceView(context.values.layout(), context.slice.axes).elements() == 0)
    return "The slice has no elements.";
  const bool kept = state.kept.of(state.tensor, state.mapping, state.field) != nullptr;
  if (kept && context.reader == nullptr) return {};
  if (std::string no = context.why_not_read(state.tensor); !no.empty()) return no;
  return context.reader == nullptr
             ? "The values cannot be shown. There is no process to read them from. Run the script to have one."
             : std::string();
}

void draw_numbers(const FrameContext& context, ValuesPanelState& state, const core::TensorRecord& tensor, Commands& commands) {
  state.head = head_form(context, state, tensor);
  draw_value_head(context, state, tensor, commands);
  lay_vector(context, state, tensor);
  if (state.mapping != state.seen_mapping) forget_cells(state);
  state.seen_mapping = state.mapping;
  if (state.runs_seen != context.host.runs()) state.changes.clear();  // marks stay until the next run
  state.runs_seen = context.host.runs();
  const core::TensorPart& part = context.values.part;
  if (!state.grid || !state.grid->shows(*part.snapshot, part.tensor, state.mapping))
    state.grid.emplace(part.snapshot, part.tensor, state.mapping);
  const ValueGrid& grid = *state.grid;
  carry_out_value_actions(context, state, grid, commands);
  const bool folded = state.head >= HeadForm::line;  // then the head's line shows what the footer would
  draw_value_cells(context, state, grid, folded ? 0 : ImGui::GetTextLineHeightWithSpacing(), commands);
  if (state.head == HeadForm::none) draw_state_over_numbers(context, state);
  ask_for_sum(context, state, commands);
  if (!folded) draw_value_footer(context, state);
  const bool fading = ImGui::GetTime() < state.redraw_until;
  const bool running = context.host.state() == HostState::running || context.host.state() == HostState::stopping;
  state.next_frame_in = fading ? kFlashMilliseconds : running ? kLiveMilliseconds : 0;
}

void draw_selected(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  const core::TensorRecord& tensor = context.values.record();
  if (why_no_values(*context.values.snapshot(), tensor).empty()) {
    follow_selection(context, state);
    follow_slice(context, state);
    lay_vector(context, state, tensor);
  }
  const std::string why = obstacle(context, state, tensor);
  if (!why.empty()) {
    draw_value_title(context, tensor, false);
    draw_field_choice(context, commands);
    state.cells_read = 0;
    state.cells.clear();
    draw_go_to(context, state, commands);
    if (!context.slice.text.empty()) draw_slice_field(context, commands);
    draw_wrapped_text(why, context.theme.unknown);
    return;
  }
  follow_pin(context, state);
  draw_numbers(context, state, tensor, commands);
}

}  // namespace

void draw_values_panel(const FrameContext& context, ValuesPanelState& state, Commands& commands) {
  if (context.asked(ActionId::values_go_to)) open_go_to(state);
  if (ImGui::Begin(title_of(ActionContext::values), nullptr, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    take_value_answers(context, state, commands);
    follow_moment(context, state);
    if (!context.has_tensors() || context.selected == core::kNone32) {
      state.cells_read = 0;
      state.grid.reset();
      draw_go_to(context, state, commands);
      draw_wrapped_text(nothing_selected(context, "The numbers in the selected tensor will be shown here."), context.theme.dim);
    } else {
      draw_selected(context, state, commands);
    }
  } else {
    state.grid.reset();  // do not keep a snapshot alive for a view that is not visible
  }
  ImGui::End();
}

}  // namespace dlscope::app
