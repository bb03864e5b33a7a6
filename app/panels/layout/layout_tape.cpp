#include "app/panels/layout/layout_tape.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/models/text/format.h"
#include "app/panels/focus_keys.h"
#include "app/panels/layout/layout_tape_painter.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kMinPiece = 3;  // pixels: narrower cells are combined
constexpr std::uint32_t kMaxPieces = 4000;
constexpr std::size_t kNameLength = 18;  // characters
constexpr float kOutside = 4000;         // pixels: coordinates farther outside are clamped

float strip_height(const FrameContext& context) { return ImGui::GetTextLineHeight() * 1.6F + context.px(4); }
// How often bytes are reached, in bars.
float reach_height(const FrameContext& context, const LayoutPanelState& state) {
  return state.reach ? ImGui::GetTextLineHeight() + context.px(2) : 0;
}
float other_height(const FrameContext& context) { return ImGui::GetTextLineHeight() + context.px(3); }

// The arrows and distances above the tape, one line each.
int mark_lines(const FrameContext& context, const LayoutPanelState& state) {
  const bool offset = context.index->tensor(state.tensor).byte_offset > 0 && state.range.addressed;
  return 1 + (offset ? 1 : 0) + (state.mapping.row >= 0 ? 1 : 0) + (state.mapping.column >= 0 ? 1 : 0);
}

}  // namespace

void TapePainter::draw(ImVec2 size) {
  lay_out(size);
  ImGui::InvisibleButton("tape", {std::max(size.x, 1.0F), std::max(size.y, 1.0F)});
  move();
  list_->PushClipRect(from_, to_, true);
  draw_names();
  list_->PushClipRect({left_, from_.y}, to_, true);
  for (std::size_t i = 0; i < shown_strips_; ++i) draw_strip(i);
  if (state_.reach) draw_reach();
  if (marks_) draw_marks();
  draw_ruler();
  draw_focus();
  list_->PopClipRect();
  list_->PopClipRect();
  hover();
}

void TapePainter::lay_out(ImVec2 size) {
  take_room(size);
  left_ = from_.x + names_width();
  const TapeHeights heights = tape_heights(context_, state_);
  words_ = heights.words > 0 && size.y >= heights.least + heights.words;
  marks_ = size.y >= heights.least + heights.words + heights.marks;
  strip_top_ = from_.y + (marks_ ? heights.marks : 0);
  reach_top_ = strip_top_ + strip_height(context_);
  ruler_top_ = reach_top_ + reach_height(context_, state_);
  others_top_ = ruler_top_ + (ImGui::GetTextLineHeight() + context_.px(2)) * (words_ ? 2 : 1);
  const float room = std::max(0.0F, to_.y - others_top_);
  shown_strips_ = 1 + std::min(state_.strips.size() - 1, static_cast<std::size_t>(room / other_height(context_)));
  state_.drawn.strips = static_cast<int>(shown_strips_);
  const float cell = ImGui::CalcTextSize("0").x *
                     (static_cast<float>(std::min(index_text(layout_, tensor_.elements - 1).size(), kLongestIndex)) + 2);
  const double natural = static_cast<double>(cell) / static_cast<double>(state_.strips.front().tape->cell_bits());
  limits_ = {state_.range.bits, std::max(1.0, static_cast<double>(to_.x - left_)), natural * 4, natural};
  state_.tape.settle(limits_);
  if (state_.first_look) {
    state_.tape.fit(limits_);
    if (lost_in_group()) show_own();
  }
  state_.first_look = false;
  if (state_.reveal) {
    const std::int64_t bit = core::bit_offset_of(layout_, *state_.reveal) + state_.range.origin;
    state_.tape.reveal(limits_, bit, layout_.item_bits);
  }
}

float TapePainter::names_width() const {
  if (state_.strips.size() < 2) return 0;
  std::size_t longest = 0;
  for (const TapeStrip& strip : state_.strips) longest = std::max(longest, std::min(strip.name.size(), kNameLength));
  return ImGui::CalcTextSize("0").x * static_cast<float>(longest + 2);
}

// In pixels from the left end: at the pinned element where it is in view, else in the middle.
double TapePainter::place_for_keys() const {
  const Focus& pinned = context_.pinned;
  if (pinned.tensor == state_.tensor && pinned.element && *pinned.element < tensor_.elements) {
    const std::int64_t bit = core::bit_offset_of(layout_, *pinned.element) + state_.range.origin;
    const double at = (state_.tape.x_of(bit) + state_.tape.x_of(bit + layout_.item_bits)) / 2;
    if (at >= 0 && at < limits_.room) return at;
  }
  return limits_.room / 2;
}

void TapePainter::move() {
  const ImGuiIO& io = ImGui::GetIO();
  const double x = std::max(0.0, static_cast<double>(io.MousePos.x - left_));
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4)) {
    state_.tape.pan(limits_, static_cast<double>(io.MouseDelta.x));
  }
  state_.tape_hovered = ImGui::IsItemHovered();
  const bool keys_are_mine = state_.tape_hovered || !state_.grid_hovered;
  if (context_.asked(ActionId::layout_view_fit) && keys_are_mine) {
    const bool all = state_.tape.fitted();
    state_.tape.fit(limits_);
    if (all && lost_in_group()) show_own();
  }
  const double at = state_.tape_hovered ? x : place_for_keys();
  if (context_.asked(ActionId::layout_view_natural) && keys_are_mine) state_.tape.one_to_one(limits_, at);
  if (const auto in = pressed_zoom_key(ActionContext::layout); in && keys_are_mine)
    state_.tape.zoom(limits_, at, *in ? kWheelFactor : 1 / kWheelFactor);
  if (!state_.tape_hovered) return;
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);  // claimed beforehand: otherwise the first notch would scroll the panel
  if (io.MouseWheel != 0) {
    state_.tape.zoom(limits_, x, std::pow(kWheelFactor, static_cast<double>(std::clamp(io.MouseWheel, -8.0F, 8.0F))));
  }
  if (io.MouseWheelH != 0) state_.tape.pan(limits_, static_cast<double>(io.MouseWheelH * ImGui::GetFontSize() * 3));
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) zoom_to_piece(state_.tape.unit_at(x));
}

void TapePainter::zoom_to_piece(std::int64_t bit) {
  const std::int64_t cell = state_.strips.front().tape->cell_bits();
  for (const TapePiece& piece : state_.strips.front().pieces) {
    const std::int64_t begin = piece.begin + state_.range.origin, end = piece.end + state_.range.origin;
    if (bit >= begin && bit < end) return state_.tape.show(limits_, begin - 2 * cell, end + 2 * cell);
  }
}

void TapePainter::draw_names() {
  if (state_.strips.size() < 2) return;
  for (std::size_t i = 0; i < shown_strips_; ++i) {
    const float y = (top_of(i) + bottom_of(i) - ImGui::GetTextLineHeight()) * 0.5F;
    const ImVec4 ink = i == 0 ? context_.theme.text : context_.theme.dim;
    list_->AddText({from_.x, y}, ImGui::GetColorU32(ink), state_.strips[i].name.c_str());
  }
  const std::uint64_t more = state_.strips_left_out + state_.strips.size() - shown_strips_;
  const float y = bottom_of(shown_strips_ - 1) + context_.px(1);
  if (more > 0 && shown_strips_ > 1 && y + ImGui::GetTextLineHeight() <= to_.y + 1)
    list_->AddText({from_.x, y}, ImGui::GetColorU32(context_.theme.dim), fmt::format("and {} more", grouped(more)).c_str());
}

void TapePainter::read(TapeStrip& strip) {
  const StorageTape& tape = *strip.tape;
  const double cell_px = state_.tape.px_per_unit() * static_cast<double>(tape.cell_bits());
  const double least = static_cast<double>(context_.px(kMinPiece));
  const auto step = static_cast<std::int64_t>(std::min(std::max(1.0, std::ceil(least / cell_px)), 4e18));
  const std::int64_t seen = state_.tape.unit_at(0) - strip.origin;
  std::int64_t first = seen > tape.begin() ? std::min(tape.cell_of(seen), tape.cells()) : 0;
  first = first / step * step;
  const double pieces = limits_.room / (cell_px * static_cast<double>(step)) + 2;
  const auto count = static_cast<std::uint32_t>(std::min(pieces, static_cast<double>(kMaxPieces)));
  if (strip.first == first && strip.step == step && strip.count == count) return;
  tape.read(first, step, count, strip.pieces);
  strip.first = first;
  strip.step = step;
  strip.count = count;
}

void TapePainter::draw_strip(std::size_t i) {
  TapeStrip& strip = state_.strips[i];
  read(strip);
  const float top = top_of(i), bottom = bottom_of(i);
  const std::uint32_t item_bits = context_.index->tensor(strip.tensor).item_bits;
  const ElementForm form = form_in(state_.tape.px_per_unit() * static_cast<double>(item_bits), strip.tensor);
  for (const TapePiece& piece : strip.pieces) {
    const float x0 = x_of(piece.begin + strip.origin), x1 = x_of(piece.end + strip.origin);
    if (x1 < left_ || x0 > to_.x) continue;
    const ImVec2 from{x0, top}, to{std::max(x0 + 1, x1 - (x1 - x0 > 4 ? 1.0F : 0.0F)), bottom};
    draw_piece(i, piece, form, from, to);
    ++state_.drawn.tape_pieces;
    if (i > 0 || !lit(piece)) continue;
    ++state_.drawn.tape_lit;
    if (focus_.axis >= 0) draw_ring(list_, context_, from, to, false);
  }
}

bool TapePainter::lit(const TapePiece& piece) const {
  if (piece.element && state_.strips.front().step == 1 && focus_.on_axis(piece.begin)) return true;
  return focus_.lights && piece.elements.value_or(1) > 0 && piece.begin < focus_.end && piece.end > focus_.begin;
}

ImU32 TapePainter::colour_of(std::size_t i, const TapePiece& piece) const {
  if (i == 0) return shade(context_, state_, *piece.element, piece.begin);
  // Another tensor: by address it has the colours of the tape above, by order its own.
  const TapeStrip& strip = state_.strips[i];
  if (state_.shade == ShadeBy::order) {
    const std::uint64_t elements = std::max<std::uint64_t>(context_.index->tensor(strip.tensor).elements, 2);
    return ramp_colour(context_.theme, static_cast<double>(*piece.element) / static_cast<double>(elements - 1));
  }
  const std::int64_t bit = piece.begin + strip.origin;
  if (bit >= state_.range.own_end || piece.end + strip.origin <= state_.range.own_begin)
    return ImGui::GetColorU32(context_.theme.dim);
  return shade(context_, state_, 0, bit - state_.range.origin);
}

void TapePainter::draw_piece(std::size_t i, const TapePiece& piece, ElementForm form, ImVec2 from, ImVec2 to) {
  const bool hole = piece.elements == 0;
  list_->AddRectFilled(from, to, context_.theme.empty_space);
  if (hole) {
    if (to.x - from.x > 4) list_->AddRect(from, to, ImGui::GetColorU32(context_.theme.border));
    return;
  }
  if (!piece.element) {  // unknown: too much work
    hatch(list_, from, to, ImGui::GetColorU32(context_.theme.unknown), context_.px(5));
    return;
  }
  const ImU32 fill = colour_of(i, piece);
  const float part = static_cast<float>(piece.filled.value_or(1));
  // When zoomed out, the height of a piece with holes shows how much of it is filled.
  list_->AddRectFilled({from.x, to.y - (to.y - from.y) * std::max(part, 0.15F)}, to, fill);
  draw_label(i, piece, form, from, to, fill);
}

void TapePainter::draw_label(std::size_t i, const TapePiece& piece, ElementForm form, ImVec2 from, ImVec2 to, ImU32 fill) {
  const core::TensorRecord& tensor = context_.index->tensor(state_.strips[i].tensor);
  if (state_.strips[i].step > 1 || to.x - from.x < ImGui::CalcTextSize("0").x) return;
  const std::string times = !piece.elements ? "×?" : *piece.elements > 1 ? fmt::format("×{}", *piece.elements) : std::string();
  const core::LayoutView layout = context_.index->snapshot->layout(tensor);
  const std::string element = element_text(form, layout, *piece.element);
  const std::string texts[] = {times.empty() || element.empty() ? element : element + " " + times, times};
  for (const std::string& text : texts) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    if (size.x > to.x - from.x - 1) continue;
    list_->AddText({from.x + (to.x - from.x - size.x) * 0.5F, (from.y + to.y - size.y) * 0.5F}, text_on(fill), text.c_str());
    return;
  }
}

// Marks the focused bytes on all tapes, and sets the end of the line to the grid.
void TapePainter::draw_focus() {
  if (!focus_.lights) {
    state_.drawn.joined = false;
    return;
  }
  const float x0 = x_of(focus_.begin + state_.range.origin),
              x1 = std::max(x0 + context_.px(2), x_of(focus_.end + state_.range.origin));
  const bool seen = x1 > left_ && x0 < to_.x;
  state_.drawn.joined = state_.drawn.joined && seen;
  if (!seen) return;
  state_.drawn.tape_from = {x0, strip_top_};
  state_.drawn.tape_to = {x1, reach_top_};
  draw_ring(list_, context_, {x0, strip_top_}, {x1 - 1, reach_top_ - 1}, true);
  if (shown_strips_ < 2) return;
  draw_ring(list_, context_, {x0, others_top_}, {x1 - 1, bottom_of(shown_strips_ - 1)}, false);
}

float TapePainter::x_of(std::int64_t bit) const {
  return left_ + static_cast<float>(std::clamp(state_.tape.x_of(bit), -static_cast<double>(kOutside),
                                               limits_.room + static_cast<double>(kOutside)));
}

float TapePainter::top_of(std::size_t strip) const {
  return strip == 0 ? strip_top_ : others_top_ + other_height(context_) * static_cast<float>(strip - 1);
}

float TapePainter::bottom_of(std::size_t strip) const {
  return strip == 0 ? reach_top_ : top_of(strip) + other_height(context_) - context_.px(2);
}

void draw_layout_tape(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, ImVec2 size,
                      Commands& commands) {
  TapePainter(context, state, focus, commands).draw(size);
}

TapeHeights tape_heights(const FrameContext& context, const LayoutPanelState& state) {
  const auto others = static_cast<float>(state.strips.size() - 1);
  const float line = ImGui::GetTextLineHeight() + context.px(2);
  return {.least = strip_height(context) + reach_height(context, state) + line,
          .words = state.reach ? line : 0,
          .marks = ImGui::GetTextLineHeight() * static_cast<float>(mark_lines(context, state)) + context.px(4),
          .others = others * other_height(context) + (state.strips_left_out > 0 ? line : 0)};
}

}  // namespace dlscope::app
