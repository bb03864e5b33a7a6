#include "app/panels/heatmap/heatmap_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/models/focus/focus_text.h"
#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/heatmap_text.h"
#include "app/models/heatmap/reversed_axes.h"
#include "app/panels/focus_keys.h"
#include "app/panels/heatmap/heatmap_head.h"
#include "app/panels/heatmap/heatmap_legend.h"
#include "app/panels/heatmap/heatmap_picture.h"
#include "app/panels/nothing_selected.h"
#include "app/panels/values/field_picker.h"
#include "app/panels/values/value_head.h"
#include "app/widgets/marks.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

// A new tensor is shown as a whole; the same name in a new snapshot keeps axes, place and zoom where they fit.
void follow_selection(const FrameContext& context, HeatmapPanelState& state) {
  const std::uint16_t field = context.values.field;
  if (state.generation == context.generation && state.tensor == context.selected && state.field == field) return;
  const core::Snapshot& snapshot = *context.values.snapshot();
  const core::TensorRecord& tensor = context.values.record();
  const auto shape = snapshot.shape(tensor);
  if (state.name != snapshot.name(tensor) || state.axes.at.size() != shape.size()) {
    state.axes = default_cell_axes(shape.size());
    state.camera = {};
  }
  state.dtype = core::numbers_of(snapshot, tensor).dtype;
  if (!why_no_image(state.dtype).empty() && state.axes.channel) state.axes = default_cell_axes(shape.size());
  fit_cell_axes(shape, state.axes);
  state.channel_at = 0;
  state.generation = context.generation;
  state.tensor = context.selected;
  state.field = field;
  state.name = snapshot.name(tensor);
  state.asked_exact = 0;
  state.walk.forget();
}

// When another element is pinned, shows its slice and its cell.
void follow_pinned(const FrameContext& context, HeatmapPanelState& state) {
  state.reveal.reset();
  if (context.pinned == state.followed) return;
  state.followed = context.pinned;
  state.reveal = context.values.value_at(context.pinned);
  if (!state.reveal) return;
  const core::LayoutView layout = context.values.layout();
  static_cast<void>(show_element(layout, state.axes, *state.reveal));
  if (!state.axes.channel) return;
  std::vector<std::int64_t> index(layout.shape.size());
  core::unravel(layout, *state.reveal, index);
  state.channel_at = index[*state.axes.channel];
}

std::string obstacle(const FrameContext& context, const core::TensorRecord& tensor) {
  std::string why = why_no_heatmap(*context.values.snapshot(), tensor);
  if (why.empty()) why = context.why_not_read(context.selected);
  return why;
}

void read_for_walk(std::optional<ValueTask> task, Commands& commands) {
  if (!task) return;
  task->asker = ValueAsker::heatmap;
  commands.push(command::ReadValues{std::move(*task)});
}

// Steps to the next special value, or the previous one.
void walk_specials(const FrameContext& context, HeatmapPanelState& state, Commands& commands) {
  for (const ValueAnswer& answer : std::exchange(state.answers, {})) {
    const ShownValues& shown = context.values;
    const bool of_this =
        answer.nobody || (answer.task.snapshot == shown.snapshot() && answer.task.tensor == shown.part.tensor);
    if (!of_this) {
      state.walk.stop();
      continue;
    }
    SpecialWalk::Step step = state.walk.take(answer);
    if (step.found) commands.push(command::Pin{context.values.focus_on(*step.found)});
    read_for_walk(std::move(step.next), commands);
  }
  if (context.asked(ActionId::deselect)) state.walk.stop();
  const std::optional<std::uint64_t> pinned = context.values.value_at(context.pinned);
  for (const bool forward : {true, false}) {
    if (!context.asked(forward ? ActionId::heatmap_next_special : ActionId::heatmap_previous_special)) continue;
    read_for_walk(state.walk.start(context.values.snapshot(), context.values.part.tensor, pinned, forward), commands);
  }
}

// Draws the title directly above the picture, in place of the controls. It takes the height of the controls if that suffices, so
// that the picture keeps its size and its tiles stay valid. Returns its screen position.
ImVec2 draw_figure_title(const FrameContext& context, const HeatmapPanelState& state) {
  const float spacing = ImGui::GetStyle().ItemSpacing.y, room = ImGui::GetContentRegionAvail().x;
  float height = 0;
  for (const std::string& line : state.figure.title)
    height += ImGui::CalcTextSize(line.c_str(), nullptr, false, room).y + spacing;
  const float above = state.head_height - height - spacing;
  if (above > 0) ImGui::Dummy({0, above});
  const ImVec2 from = ImGui::GetCursorScreenPos();
  for (std::size_t i = 0; i < state.figure.title.size(); ++i)
    draw_wrapped_text(state.figure.title[i], i == 0 ? context.theme.text : context.theme.dim);
  return from;
}

void draw_selected(const FrameContext& context, HeatmapPanelState& state, Commands& commands) {
  const core::TensorRecord& tensor = context.values.record();
  const std::string why = obstacle(context, tensor);
  if (!why.empty()) {
    draw_value_title(context, tensor, false);
    draw_field_choice(context, commands);
    state.said.clear();
    return draw_wrapped_text(why, context.theme.unknown);
  }
  follow_selection(context, state);
  follow_pinned(context, state);
  const ImVec2 head = ImGui::GetCursorScreenPos();
  ImVec2 from = head;
  if (state.figure.wanted)
    from = draw_figure_title(context, state);
  else
    draw_heatmap_head(context, state, tensor, commands);
  state.head_height = ImGui::GetCursorScreenPos().y - head.y;
  const ImVec2 rest = ImGui::GetContentRegionAvail();
  const float legend = heatmap_legend_height();
  draw_heatmap_picture(context, state, tensor, {rest.x, std::max(rest.y - legend, ImGui::GetTextLineHeight() * 2)}, commands);
  ask_heatmap_counts(context, state, tensor, commands);
  draw_heatmap_legend(context, state, tensor, commands);
  if (state.figure.wanted) {
    const ImVec2 edge = ImGui::GetStyle().WindowPadding;
    state.figure.from = {from.x - edge.x, from.y - edge.y};
    state.figure.to = {from.x + rest.x + edge.x, ImGui::GetCursorScreenPos().y + edge.y};
  }
  walk_specials(context, state, commands);
  AxisMapping keys = mapping_for_keys(state.axes);
  if (state.axes.channel) keys.fixed[*state.axes.channel] = state.channel_at;
  const core::LayoutView layout = context.values.layout();
  move_pinned_focus(context, context.values, keys, commands,
                    [&](std::uint64_t element) { return mirrored_element(layout, state.axes, element); });
}

}  // namespace

void draw_heatmap_panel(const FrameContext& context, HeatmapPanelState& state, Commands& commands) {
  if (state.figure.wanted) ImGui::SetNextWindowFocus();  // to be above floating windows
  if (ImGui::Begin(title_of(ActionContext::heatmap), nullptr,
                   ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    if (!context.has_tensors() || context.selected == core::kNone32)
      draw_wrapped_text(nothing_selected(context, "The values of the selected tensor will be shown here as colours."),
                        context.theme.dim);
    else
      draw_selected(context, state, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
