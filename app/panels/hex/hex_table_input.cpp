// The mouse and the keys in the rows of bytes.
#include <fmt/core.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/models/text/format.h"
#include "app/panels/focus_keys.h"
#include "app/panels/hex/hex_edit.h"
#include "app/panels/hex/hex_table.h"
#include "app/widgets/marks.h"

namespace dlscope::app {
namespace {

constexpr float kWheelRows = 3;

HexStep hex_step(FocusStep step) {
  switch (step) {
    case FocusStep::up:
      return HexStep::up;
    case FocusStep::down:
      return HexStep::down;
    case FocusStep::left:
      return HexStep::left;
    case FocusStep::right:
      return HexStep::right;
    case FocusStep::page_up:
      return HexStep::page_up;
    case FocusStep::page_down:
      return HexStep::page_down;
    case FocusStep::leftmost:
      return HexStep::row_begin;
    case FocusStep::rightmost:
      return HexStep::row_end;
    case FocusStep::top:
    case FocusStep::first_page:
    case FocusStep::first:
      return HexStep::first;
    case FocusStep::bottom:
    case FocusStep::last_page:
    case FocusStep::last:
      return HexStep::last;
  }
  return HexStep::first;
}

}  // namespace

void put_cursor(const FrameContext& context, HexPanelState& state, core::Address at, Commands& commands) {
  state.cursor = at;
  bring_into_view(state, at);
  const Focus& pin = context.pinned;
  if (pin.on_tensor() && pin.tensor == context.selected && pin.space == state.space && pin.bytes.contains(at)) return;  // keep it
  const ByteOwner& owner = owner_at_cursor(context, state);
  if (owner.kind == ByteOwner::Kind::element) commands.push(command::Pin{focus_on_owner(*context.index, owner)});
}

void HexTable::move_to(core::Address at, bool extend) {
  if (extend)
    state_.selection = HexSelection{state_.selection ? state_.selection->anchor : state_.cursor, at};
  else
    state_.selection.reset();
  put_cursor(context_, state_, at, commands_);
}

void HexTable::scroll_by_wheel() {
  if (!hovered_) return;
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  const float wheel = ImGui::GetIO().MouseWheel;
  if (wheel == 0) return;
  const auto by = static_cast<std::uint64_t>(std::max(1.0F, std::abs(wheel) * kWheelRows));
  const std::uint64_t rows = state_.rows.rows(), last = rows > state_.rows_seen ? rows - state_.rows_seen : 0;
  state_.first_row =
      wheel > 0 ? state_.first_row - std::min(state_.first_row, by) : state_.first_row + std::min(last - state_.first_row, by);
}

void HexTable::mouse() {
  if (state_.dragging && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) state_.dragging = false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto at = byte_at(mouse);
  if (state_.dragging && at && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    const core::Address anchor = state_.selection ? state_.selection->anchor : state_.cursor;
    if (state_.selection || *at != anchor) state_.selection = HexSelection{anchor, *at};
    bring_into_view(state_, *at);
  }
  if (!hovered_ || !at) return;
  if (const ByteOwner* owner = owner_of(*at); owner != nullptr && owner->kind != ByteOwner::Kind::nobody)
    commands_.push(command::Hover{focus_on_owner(*context_.index, *owner)});
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    move_to(*at, ImGui::GetIO().KeyShift);
    state_.dragging = true;
  }
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
    if (!state_.selection || !state_.selection->contains(*at)) move_to(*at, false);
    ImGui::OpenPopup("byte menu");
  }
  if (!state_.dragging) describe(*at);
}

void HexTable::describe(core::Address at) const {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) return;
  const ByteOwner* owner = owner_of(at);
  std::string text = grouped_address(at);
  if (owner != nullptr && context_.index != nullptr) text += "\n" + owner_text(*context_.index, *owner, at);
  std::byte byte{};
  if (state_.bytes.copy_from(at, {&byte, 1}) == 1)
    text += fmt::format("\n0x{0:02x} = {0}, {1}", std::to_integer<unsigned>(byte), character_text(byte));
  if (owner != nullptr && may_be_others(*owner)) text += "\nOther data may be here by now.";
  explain(text);
}

void HexTable::keys() {
  if (!(focused_ || ImGui::IsWindowFocused()) || ImGui::IsAnyItemActive()) return;
  if (type_hex_digits(context_, state_, commands_)) return;
  const auto key = pressed_step_key();
  if (!key) return;
  const core::Address next =
      stepped(state_.rows, state_.cursor, hex_step(key->step), std::max<std::uint64_t>(1, state_.rows_seen - 1));
  move_to(next, key->extend);
}

std::optional<core::Address> HexTable::byte_at(ImVec2 mouse) const {
  const float down = std::clamp(mouse.y, origin_.y, origin_.y + size_.y - 1) - origin_.y;
  const auto row = static_cast<std::size_t>(down / row_height_);
  if (row >= state_.bytes.rows.size() || mouse.x < byte_x(0)) return std::nullopt;
  for (unsigned column = 0; column < width(); ++column) {
    const bool in_hex = mouse.x >= byte_x(column) && mouse.x < byte_x(column) + state_.byte_size.x;
    const bool in_text = shows_text_ && mouse.x >= text_x(column) && mouse.x < text_x(column + 1);
    const core::Address at = address_of(row, column);
    if ((in_hex || in_text) && state_.rows.contains(at)) return at;
  }
  return std::nullopt;
}

const ByteOwner* HexTable::owner_of(core::Address at) const {
  const std::uint64_t from_top = at - state_.bytes.begin;
  const auto owners = state_.owners.owners();
  return from_top < owners.size() ? &owners[from_top] : nullptr;
}

}  // namespace dlscope::app
