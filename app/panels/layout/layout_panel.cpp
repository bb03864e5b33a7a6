#include "app/panels/layout/layout_panel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "app/models/inspector/touch_sentence.h"
#include "app/models/layout/logical_grid.h"
#include "app/models/tensors/sharing_text.h"
#include "app/models/tensors/size_text.h"
#include "app/models/text/format.h"
#include "app/models/text/name_path.h"
#include "app/panels/focus_keys.h"
#include "app/panels/layout/layout_focus.h"
#include "app/panels/layout/layout_grid.h"
#include "app/panels/layout/layout_lines.h"
#include "app/panels/layout/layout_tape.h"
#include "app/panels/nothing_selected.h"
#include "app/panels/tensor_marks.h"
#include "app/panels/values/axis_pickers.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxOthers = 8;  // tapes below the first one
constexpr const char* kAxes = "axes …";
constexpr std::int64_t kMinRows = 3;  // of the grid; before it gets fewer, the texts above it are left out
constexpr std::size_t kNameLength = 18;
constexpr float kMinTitle = 8;  // font sizes, of the name

// Why nothing can be drawn; "": it can.
std::string why_not(const core::TensorRecord& tensor) {
  if (!tensor.has_metadata) return "No protocol described this tensor, so nothing is known about its layout.";
  if (!tensor.has_layout) return "Its shape and strides are impossible, so its elements have no addresses.";
  return {};
}

TapeStrip strip_of(const FrameContext& context, const TapeRange& range, std::uint32_t id) {
  const core::TensorRecord& tensor = context.index->tensor(id);
  TapeStrip strip;
  strip.tensor = id;
  strip.name = shortened_name(context.index->snapshot->name(tensor), kNameLength);
  strip.origin = range.addressed ? range.bit_of(tensor.address).value_or(0) : range.origin;
  strip.tape = std::make_unique<StorageTape>(context.index->snapshot, id);
  return strip;
}

// Those that share the most bytes first; tensors without shared bytes are counted, not drawn.
void add_others(const FrameContext& context, LayoutPanelState& state) {
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  if (tensor.group == core::kNone32 || !state.range.addressed) return;
  for (const std::uint32_t id : context.index->pairs_of(state.tensor)) {
    const core::PairRecord& pair = context.index->pair(id);
    if (state.strips.size() > kMaxOthers || !shares_bytes(pair)) break;
    const std::uint32_t other = partner_of(pair, state.tensor);
    if (state.range.bit_of(context.index->tensor(other).address)) state.strips.push_back(strip_of(context, state.range, other));
  }
  const std::uint64_t members = context.index->snapshot->groups[tensor.group].members.count;
  state.strips_left_out = members - std::min<std::uint64_t>(members, state.strips.size());
}

bool has_others(const FrameContext& context, const LayoutPanelState& state) {
  const auto pairs = context.index->pairs_of(state.tensor);
  return !pairs.empty() && shares_bytes(context.index->pair(pairs.front()));
}

const TouchAnswer* touches_of(const FrameContext& context, std::uint32_t tensor) {
  return context.touches != nullptr ? context.touches->find(*context.index->snapshot, tensor) : nullptr;
}

// How often each byte is reached is shown only if some may be reached twice.
void make_reach(const FrameContext& context, LayoutPanelState& state) {
  const StorageTape& tape = *state.strips.front().tape;
  state.reach.reset();
  state.reach_words.clear();
  if (!may_reach_again(context.index->tensor(state.tensor), tape)) return;
  const TouchAnswer* const answer = touches_of(context, state.tensor);
  state.reach.emplace(context.index->snapshot, state.tensor, tape, answer != nullptr ? answer->found.get() : nullptr);
  state.reach_words = touch_sentence(state.reach->counts());
}

// Of a tensor that takes long to count: how far that is, until it is counted.
void follow_touches(const FrameContext& context, LayoutPanelState& state) {
  if (!state.reach || !state.reach->counts().empty() || !state.reach->in_whole_bytes()) return;
  const TouchAnswer* const answer = touches_of(context, state.tensor);
  if (answer != nullptr && answer->found) return make_reach(context, state);
  const bool over = answer == nullptr || answer->phase == TouchAnswer::Phase::over_budget;
  state.reach_words = over ? std::string() : touch_sentence(*answer);
}

void make_strips(const FrameContext& context, LayoutPanelState& state) {
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  state.strips.clear();
  state.strips_left_out = 0;
  if (!tensor.has_layout || tensor.elements == 0) return;
  const bool others = state.show_others && has_others(context, state);
  state.range = tape_range(*context.index->snapshot, tensor, others ? TapeScope::group : TapeScope::tensor);
  state.strips.push_back(strip_of(context, state.range, state.tensor));
  make_reach(context, state);
  if (others) add_others(context, state);
}

// A new tensor is shown from its beginning; the same name in a new snapshot keeps axes, place and zoom.
void follow_selection(const FrameContext& context, LayoutPanelState& state) {
  if (state.generation == context.generation && state.tensor == context.selected) return;
  const core::Snapshot& snapshot = *context.index->snapshot;
  const core::TensorRecord& tensor = context.index->tensor(context.selected);
  const std::string_view name = snapshot.name(tensor);
  const bool same = state.name == name && state.mapping.fixed.size() == tensor.rank;
  state.generation = context.generation;
  state.tensor = context.selected;
  state.name = name;
  state.facts.clear();
  state.strips.clear();
  state.reach.reset();
  if (!tensor.has_layout) return;
  const core::LayoutView layout = snapshot.layout(tensor);
  if (!same) {
    state.mapping = default_mapping(tensor.rank);
    state.rows = state.columns = state.tape = {};
    state.first_look = true;
  }
  fit_mapping(layout.shape, state.mapping);
  state.facts = axis_facts(layout);
  state.c_order = order_verdict(layout, Order::c);
  state.f_order = order_verdict(layout, Order::f);
  make_strips(context, state);
}

// When another element is pinned, shows its slice and its place.
void follow_pinned(const FrameContext& context, LayoutPanelState& state) {
  state.reveal.reset();
  if (context.pinned == state.followed) return;
  state.followed = context.pinned;
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  if (context.pinned.tensor != state.tensor || !context.pinned.element || *context.pinned.element >= tensor.elements) return;
  state.reveal = context.pinned.element;
  core::unravel(context.index->snapshot->layout(tensor), *state.reveal, state.mapping.fixed);
}

// The parts of the head that fit above the pictures.
struct HeadShare {
  float axis_lines = 0;   // pixels; 0: left out
  int formula_lines = 0;  // 0: left out
  bool formula_whole = false;
  bool labels = false;  // below the terms of the formula
  int slider_lines = 0;
  bool axes_folded = false;  // into a popup
};

// The lines of the formula: as many as it needs, if two lines remain for the axes, or else at least the first of them; without
// the labels where only that makes it whole.
void share_formula(const FrameContext& context, LayoutPanelState& state, ImVec2 room, float& rest, HeadShare& out) {
  const float line = ImGui::GetTextLineHeight() + context.px(4);
  const bool large = room.y > line * 17;
  out.labels = large;
  if (rest <= line) return;
  const FormulaLines& needed = formula_lines(context, state, room.x);
  for (const float for_axes : {line * 2, line}) {
    for (const bool labels : {large, false}) {
      const float height = labels ? line * 2 : line;
      const int lines = std::max(1, static_cast<int>((rest - for_axes) / height));
      const int wanted = labels ? needed.with_labels : needed.without;
      out.labels = labels;
      out.formula_lines = std::min(lines, wanted);
      out.formula_whole = lines >= wanted;
      if (out.formula_whole) break;
    }
    if (out.formula_whole) break;
  }
  rest -= (out.labels ? line * 2 : line) * static_cast<float>(out.formula_lines);
}

HeadShare share_head_with(const FrameContext& context, LayoutPanelState& state, core::LayoutView layout, bool axes_folded) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float line = ImGui::GetTextLineHeight() + context.px(4), button_line = ImGui::GetFrameHeightWithSpacing();
  const float rows = static_cast<float>(std::clamp<std::int64_t>(LogicalGrid(layout, state.mapping).rows(), 1, kMinRows));
  float rest = room.y - line * (2 + rows) - tape_heights(context, state).least - context.px(12);
  HeadShare out;
  const int sliders = std::min(axis_slider_lines(layout.shape, state.mapping), kMaxSliderLines);
  const float choices = layout.shape.size() < 2 ? 0 : button_line * std::ceil(axis_choices_width(layout.shape) / room.x);
  out.axes_folded = choices > 0 && (axes_folded || rest < choices + (sliders > 0 ? button_line : 0));
  if (!out.axes_folded) {
    rest -= choices;
    out.slider_lines = rest > button_line * static_cast<float>(sliders) + line * 4 ? sliders : std::min(sliders, 1);
    rest -= button_line * static_cast<float>(out.slider_lines);
  }
  share_formula(context, state, room, rest, out);
  out.axis_lines = rest < line ? 0 : std::min(rest, std::max(room.y * (room.y > line * 17 ? 0.3F : 0.18F), line * 2));
  return out;
}

// Call before anything is drawn in the panel. The choice of the axes gives way to a formula that is whole only without it.
HeadShare share_head(const FrameContext& context, LayoutPanelState& state, core::LayoutView layout) {
  const HeadShare first = share_head_with(context, state, layout, false);
  if (first.formula_whole || first.axes_folded) return first;
  const HeadShare folded = share_head_with(context, state, layout, true);
  return folded.formula_whole ? folded : first;
}

void draw_axes(const FrameContext& context, LayoutPanelState& state, int slider_lines) {
  const auto shape = context.index->snapshot->shape(context.index->tensor(state.tensor));
  const bool chosen = draw_axis_choices(shape, state.mapping);
  const bool moved = draw_axis_sliders(context, shape, state.mapping, slider_lines);
  if (chosen || moved) state.rows = state.columns = {};
}

// What does not fit into the panel, behind a button beside the title.
void draw_folded_axes(const FrameContext& context, LayoutPanelState& state) {
  same_line_for(button_width(kAxes));
  if (small_button(kAxes)) ImGui::OpenPopup("axes");
  explain("Which axes run down and across, and at which index the others are fixed.");
  ImGui::SetNextWindowSizeConstraints({ImGui::GetFontSize() * 20, 0}, {1e6F, 1e6F});
  if (!ImGui::BeginPopup("axes")) return;
  draw_axes(context, state, kMaxSliderLines);
  ImGui::EndPopup();
}

void draw_title(const FrameContext& context, LayoutPanelState& state, bool axes_folded) {
  const core::Snapshot& snapshot = *context.index->snapshot;
  const core::TensorRecord& tensor = context.index->tensor(context.selected);
  tensor_swatch(context, context.selected);
  ImGui::SameLine();
  const std::string what =
      tensor.has_metadata ? fmt::format("   {}, {}", snapshot.dtype_name(tensor), shape_in_words(snapshot.shape(tensor))) : "";
  const bool has_colour = !state.strips.empty();
  const float colour_width = context.px(16) + button_width("colour: index order");
  // The tensor's state is never cut off.
  const bool own = surely_its_own(context.moment, context.state_of(context.selected));
  const float state_width = own ? 0 : least_state_width(context, context.selected) + ImGui::GetStyle().ItemSpacing.x;
  const float avail = ImGui::GetContentRegionAvail().x - text_width(what) - state_width;
  const float least = ImGui::GetFontSize() * kMinTitle;
  // Where it has no room, its action has keys and is in the palette.
  const bool with_button = has_colour && avail - colour_width >= least;
  const float room = std::max(avail - (with_button ? colour_width : 0), least);
  draw_text(fit_path(snapshot.name(tensor), room, text_width), context.theme.text);
  explain(snapshot.name(tensor));
  ImGui::SameLine(0, 0);
  draw_text(what);
  if (!own) {
    ImGui::SameLine();
    state_of_tensor(context, context.selected);
  }
  if (!has_colour) return;
  const bool address = state.shade == ShadeBy::address;
  bool other_shade = context.asked(ActionId::layout_view_colour);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(context.px(6), 0));
  if (with_button) {
    ImGui::SameLine(0, context.px(16));
    other_shade = small_button(address ? "colour: address" : "colour: index order") || other_shade;
    explain(
        "What the colour of a cell follows: where it lies in memory, or its place in index order. The lower of the two pictures, "
        "or the upper one, then runs evenly from dark to light, and the other shows how it is mixed.");
  }
  if (other_shade) state.shade = address ? ShadeBy::order : ShadeBy::address;
  if (has_others(context, state)) {
    ImGui::SameLine();
    const bool asked = context.asked(ActionId::layout_view_others);
    if (asked) state.show_others = !state.show_others;
    if (ImGui::Checkbox("others", &state.show_others) || asked) {
      make_strips(context, state);
      state.first_look = true;
    }
    explain("The tapes of the tensors that share its memory, at the same addresses.");
  }
  if (axes_folded) draw_folded_axes(context, state);
  ImGui::PopStyleVar();
}

// Draws a line from the focused cell of the grid to its place on the tape.
void draw_join(const FrameContext& context, const LayoutDrawn& drawn) {
  if (!drawn.joined) return;
  const ImVec2 from{(drawn.grid_from.x + drawn.grid_to.x) * 0.5F, drawn.grid_to.y + context.px(2)};
  const ImVec2 to{(drawn.tape_from.x + drawn.tape_to.x) * 0.5F, drawn.tape_from.y - context.px(2)};
  const float bend = std::max(context.px(12), (to.y - from.y) * 0.5F);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const bool over : {false, true}) {
    const ImU32 ink = over ? context.theme.selection : ImGui::GetColorU32(context.theme.panel);
    list->AddBezierCubic(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, ink, context.px(over ? 1.5F : 4.0F));
  }
}

void draw_pictures(const FrameContext& context, LayoutPanelState& state, const HeadShare& head, Commands& commands) {
  const float line = ImGui::GetTextLineHeight();
  const LayoutFocus focus = layout_focus(context, state);
  if (head.axis_lines > 0) draw_axis_lines(context, state, head.axis_lines, commands);
  if (head.formula_lines > 0) draw_address_formula(context, state, focus, head.labels, head.formula_lines, commands);
  if (!head.axes_folded) draw_axes(context, state, head.slider_lines);
  ImGui::PushFont(context.fonts.mono, 0.0F);
  const ImVec2 rest = ImGui::GetContentRegionAvail();
  const TapeHeights heights = tape_heights(context, state);
  const float gap = context.px(6);
  // The grid takes what it needs but leaves the tape its minimum; the tape gives up first the other tensors, then the marks.
  const float least_grid = std::min(natural_grid_height(context, state), std::max(line * 6, rest.y * 0.4F));
  const float tape = std::clamp(rest.y - least_grid - gap, heights.least, heights.all());
  const float grid = std::min(natural_grid_height(context, state), rest.y - tape - gap);
  draw_layout_grid(context, state, focus, {rest.x, std::max(grid, line * 2)}, commands);
  ImGui::Dummy({1, std::max(1.0F, gap - ImGui::GetStyle().ItemSpacing.y * 2)});
  draw_layout_tape(context, state, focus, {rest.x, tape}, commands);
  ImGui::PopFont();
  draw_join(context, state.drawn);
}

void draw_selected(const FrameContext& context, LayoutPanelState& state, Commands& commands) {
  follow_selection(context, state);
  follow_touches(context, state);
  follow_pinned(context, state);
  const core::TensorRecord& tensor = context.index->tensor(state.tensor);
  const HeadShare head = state.strips.empty() ? HeadShare{} : share_head(context, state, context.index->snapshot->layout(tensor));
  draw_title(context, state, head.axes_folded);
  const std::string why = why_not(tensor);
  if (!why.empty()) {
    draw_wrapped_text("The layout cannot be shown: " + why, context.theme.unknown);
  } else if (state.strips.empty()) {
    draw_axis_lines(context, state, ImGui::GetContentRegionAvail().y * 0.6F, commands);
    draw_wrapped_text("It has no elements, so there are no bytes.", context.theme.dim);
  } else {
    draw_pictures(context, state, head, commands);
    move_pinned_focus(context, state.tensor, state.mapping, commands);
  }
}

}  // namespace

void draw_layout_panel(const FrameContext& context, LayoutPanelState& state, Commands& commands) {
  state.drawn = {};
  if (ImGui::Begin(title_of(ActionContext::layout), nullptr, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    if (!context.has_tensors() || context.selected == core::kNone32)
      draw_wrapped_text(nothing_selected(context, "How the selected tensor lies in memory will be shown here."),
                        context.theme.dim);
    else
      draw_selected(context, state, commands);
  }
  ImGui::End();
}

}  // namespace dlscope::app
