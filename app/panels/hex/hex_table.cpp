#include "app/panels/hex/hex_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/models/layout/bring_into_view.h"
#include "app/models/text/format.h"
#include "app/widgets/focus_marks.h"
#include "app/widgets/line_text.h"
#include "app/widgets/marks.h"
#include "app/widgets/row_scroll_bar.h"

namespace dlscope::app {
namespace {

constexpr unsigned kBytesInGroup = 8;                  // followed by a gap
constexpr unsigned kByteCharacters = 3;                // two digits and a space
constexpr unsigned kGroupCharacters = kBytesInGroup * kByteCharacters + 1;
constexpr unsigned kBesideAddress = 2, kBesideText = 1;
constexpr std::uint64_t kMaxRows = 500;               // on a screen
constexpr float kTint = 0.30F, kHoleHatch = 0.5F, kStaleHatch = 0.35F;

unsigned label_characters(core::Address last) { return last > 0xffffffffffffU ? 21 : last > 0xffffffffU ? 16 : 11; }

unsigned hex_part(unsigned width) { return width * kByteCharacters + width / kBytesInGroup; }

ImU32 ink_of(const ImVec4& colour, float alpha) { return ImGui::GetColorU32({colour.x, colour.y, colour.z, colour.w * alpha}); }

}  // namespace

unsigned hex_characters(const HexPanelState& state, unsigned width) {
  return label_characters(state.rows.last) + kBesideAddress + hex_part(width) + kBesideText + width + 1;
}

void bring_into_view(HexPanelState& state, core::Address at) {
  const std::uint64_t rows = state.rows.rows(), seen = std::max<std::uint64_t>(state.rows_seen, 1);
  bring_into_view(state.rows.row_of(at), state.first_row, seen, rows > seen ? rows - seen : 0);
}

const ByteOwner& owner_at_cursor(const FrameContext& context, HexPanelState& state) {
  state.cursor_owner.find(context.index, context.generation, state.space, state.cursor, 1, context.selected);
  return state.cursor_owner.owners().front();
}

void HexTable::draw(ImVec2 size) {
  lay_out(size);
  follow_pin();
  draw_scroll_bar();
  ImGui::SetCursorScreenPos(origin_);
  ImGui::InvisibleButton("bytes", {std::max(size_.x, 1.0F), std::max(size_.y, 1.0F)},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  hovered_ = ImGui::IsItemHovered();
  focused_ = ImGui::IsItemFocused();
  scroll_by_wheel();
  read();
  list_->PushClipRect(origin_, {origin_.x + size_.x, origin_.y + size_.y}, true);
  for (std::size_t row = 0; row < state_.bytes.rows.size(); ++row) draw_row(row);
  if (context_.hover != context_.pinned) draw_focus(context_.hover, FocusMark::hovered);
  draw_focus(context_.pinned, FocusMark::pinned);
  draw_cursor();
  if (state_.edit.armed)
    list_->AddRect(origin_, {origin_.x + size_.x, origin_.y + size_.y}, ImGui::GetColorU32(context_.theme.bad), 0,
                   context_.px(2));
  list_->PopClipRect();
  mouse();
  keys();
}

// Determines how many bytes fit in a row; what was at the top stays there.
void HexTable::lay_out(ImVec2 size) {
  origin_ = ImGui::GetCursorScreenPos();
  character_ = ImGui::CalcTextSize("0").x;
  row_height_ = std::ceil(ImGui::GetTextLineHeight() + context_.px(3));
  size_ = {size.x - ImGui::GetStyle().ScrollbarSize - 2, size.y};
  const auto fits = [&](unsigned width) { return static_cast<float>(hex_characters(state_, width)) * character_ <= size_.x; };
  unsigned width = state_.chosen_width;
  if (width == 0) {
    width = kHexWidths[0];
    for (const unsigned wider : kHexWidths) width = fits(wider) ? wider : width;
  }
  if (width != state_.rows.width) {
    const core::Address top = state_.rows.begin_of(std::min(state_.first_row, state_.rows.rows() - 1));
    state_.rows.width = width;
    state_.first_row = state_.rows.row_of(top);
  }
  address_characters_ = label_characters(state_.rows.last) + kBesideAddress;
  shows_text_ = fits(width) || state_.chosen_width != 0;
  const std::uint64_t rows = state_.rows.rows();
  const bool cursor_seen = state_.rows.row_of(state_.cursor) - state_.first_row < state_.rows_seen;
  const auto seen = std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max(1.0F, size_.y / row_height_)), kMaxRows);
  const bool resized = std::exchange(state_.rows_seen, seen) != seen;
  state_.first_row = std::min(state_.first_row, rows > seen ? rows - seen : 0);
  if (resized && cursor_seen) bring_into_view(state_, state_.cursor);
  state_.bytes_from = {byte_x(0), origin_.y};
  state_.byte_size = {character_ * kByteCharacters, row_height_};
}

// Brings a new pin into view once, unless the cursor is in it, because then it was set from here.
void HexTable::follow_pin() {
  if (context_.pinned == state_.seen_pin) return;
  state_.seen_pin = context_.pinned;
  const Focus& pin = context_.pinned;
  if (pin.bytes.empty() || pin.space != state_.space || pin.bytes.contains(state_.cursor)) return;
  if (!state_.rows.contains(pin.bytes.begin)) return;
  state_.cursor = pin.bytes.begin;
  state_.selection.reset();
  bring_into_view(state_, state_.cursor);
}

void HexTable::draw_scroll_bar() {
  const std::uint64_t rows = state_.rows.rows();
  row_scroll_bar("##rows", {origin_.x + size_.x + 2, origin_.y}, size_.y, state_.first_row,
                 rows > state_.rows_seen ? rows - state_.rows_seen : 0);
}

void HexTable::read() {
  const std::uint64_t count = state_.rows_seen + 1;  // the last one is cut off by the edge
  if (state_.shows_kept || context_.reader == nullptr)
    state_.kept.take(state_.rows, state_.first_row, count, state_.bytes);
  else
    state_.bytes.read(*context_.reader, state_.rows, state_.first_row, count);
  const bool own = context_.selected != core::kNone32 && context_.bytes_are_its_own(context_.selected);
  if (own && !state_.shows_kept && context_.reader != nullptr) state_.kept.keep(state_.bytes);
  state_.owners.find(context_.index, context_.generation, state_.space, state_.bytes.begin, state_.bytes.bytes.size(),
                     context_.selected);
}

bool HexTable::may_be_others(const ByteOwner& owner) const {
  return owner.kind == ByteOwner::Kind::element && !state_.shows_kept && !context_.bytes_are_its_own(owner.tensor);
}

void HexTable::draw_row(std::size_t row) {
  const float y = row_y(row);
  state_.label.clear();
  append_grouped_address(state_.label, address_of(row, 0));
  const bool at_cursor = state_.cursor - address_of(row, 0) < width();
  list_->AddText({origin_.x + context_.px(2), y}, ImGui::GetColorU32(at_cursor ? context_.theme.text : context_.theme.dim),
                 state_.label.c_str());
  const RowState row_state = state_.bytes.rows[row];
  fill_owners(row);
  if (state_.bytes.has_bytes(row)) return draw_bytes(row);
  const ImVec2 from{byte_x(0), y}, to{byte_x(width() - 1) + state_.byte_size.x, y + row_height_ - 1};
  if (row_state != RowState::awaited) hatch(list_, from, to, ink_of(context_.theme.unknown, kHoleHatch), context_.px(8));
  const char* const why = row_state_text(row_state);
  const float wide = ImGui::CalcTextSize(why).x;
  list_->AddRectFilled({from.x + character_ * 0.5F, y}, {from.x + character_ * 1.5F + wide, to.y},
                       ImGui::GetColorU32(context_.theme.panel));
  list_->AddText({from.x + character_, y}, ImGui::GetColorU32(context_.theme.unknown), why);
}

// Adjacent bytes of one tensor in one rectangle; a line where an element begins.
void HexTable::fill_owners(std::size_t row) {
  const auto owners = state_.owners.owners().subspan(row * width(), width());
  const float y0 = row_y(row), y1 = y0 + row_height_;
  const auto alike = [](const ByteOwner& a, const ByteOwner& b) { return a.kind == b.kind && a.tensor == b.tensor; };
  const core::Address begin = address_of(row, 0), most = width() - 1;
  const auto from_column = static_cast<unsigned>(std::max(state_.rows.first, begin) - begin);  // may begin outside
  const auto to_column = static_cast<unsigned>(std::min(state_.rows.last - begin, most));
  for (unsigned first = from_column, last = 0; first <= to_column; first = last + 1) {
    for (last = first; last < to_column && alike(owners[first], owners[last + 1]);) ++last;
    const ByteOwner& owner = owners[first];
    if (owner.kind == ByteOwner::Kind::nobody) continue;
    const ImVec2 from{byte_x(first), y0}, to{byte_x(last) + state_.byte_size.x, y1};
    if (owner.kind != ByteOwner::Kind::element) {
      const ImVec4& colour = owner.kind == ByteOwner::Kind::hole ? context_.theme.dim : context_.theme.unknown;
      hatch(list_, from, to, ink_of(colour, kHoleHatch), context_.px(6));
      continue;
    }
    const std::uint32_t colour = context_.index->colour_of(context_.index->tensor(owner.tensor));
    fill_group(list_, from, to, context_.theme, colour, kTint);
    if (shows_text_) fill_group(list_, {text_x(first), y0}, {text_x(last + 1), y1}, context_.theme, colour, kTint * 0.6F);
    if (may_be_others(owner)) hatch(list_, from, to, ink_of(context_.theme.unknown, kStaleHatch), context_.px(8));
    const ImU32 line = (group_colour(context_.theme, colour) & 0x00FFFFFFU) | 0xC0000000U;
    for (unsigned column = first; column <= last; ++column) {
      if (owners[column].begins) list_->AddLine({byte_x(column), y0}, {byte_x(column), y1}, line, context_.px(1));
    }
  }
}

void HexTable::draw_bytes(std::size_t row) {
  const float y = row_y(row);
  const auto bytes = state_.bytes.row(row);
  const auto owners = state_.owners.owners().subspan(row * width(), width());
  const bool faint = state_.shows_kept || state_.bytes.rows[row] == RowState::earlier;
  for (unsigned column = 0; column < width(); ++column) {
    const core::Address at = address_of(row, column);
    if (!state_.rows.contains(at)) continue;
    const float x = byte_x(column);
    if (state_.selection && state_.selection->contains(at)) {
      const ImU32 selected = ImGui::GetColorU32(ImGuiCol_TextSelectedBg);
      list_->AddRectFilled({x, y}, {x + state_.byte_size.x, y + row_height_}, selected);
      if (shows_text_) list_->AddRectFilled({text_x(column), y}, {text_x(column + 1), y + row_height_}, selected);
    }
    const bool dim = faint || bytes[column] == std::byte{0} || owners[column].kind == ByteOwner::Kind::hole;
    const bool written = !state_.edit.edits.empty() && state_.edit.edits.changed(at);
    const ImU32 ink = ImGui::GetColorU32(written ? context_.theme.bad : dim ? context_.theme.dim : context_.theme.text);
    const bool half_typed = state_.edit.nibble && state_.edit.nibble_at == at;
    list_->AddText({x + character_ * 0.5F, y}, ink,
                   half_typed ? LineText("{:x}_", *state_.edit.nibble).c_str()
                              : LineText("{:02x}", std::to_integer<unsigned>(bytes[column])).c_str());
    if (!shows_text_) continue;
    const char text = printable(bytes[column]);
    const bool is_text = std::to_integer<unsigned>(bytes[column]) == static_cast<unsigned char>(text);
    list_->AddText({text_x(column), y}, ImGui::GetColorU32(is_text && !faint ? context_.theme.text : context_.theme.dim), &text,
                   &text + 1);
  }
}

void HexTable::draw_focus(const Focus& focus, FocusMark mark) {
  if (!focus.on_tensor() || focus.bytes.empty() || focus.space != state_.space) return;
  draw_range(focus.bytes.begin, focus.bytes.end - 1, mark);
}

// Draws a rectangle in each row.
void HexTable::draw_range(core::Address first, core::Address last, FocusMark mark) {
  if (state_.bytes.rows.empty()) return;
  const core::Address end = address_of(state_.bytes.rows.size() - 1, width() - 1);
  if (last < state_.bytes.begin || first > end) return;
  first = std::max(first, state_.bytes.begin);
  last = std::min(last, end);
  for (std::uint64_t row = (first - state_.bytes.begin) / width(); row <= (last - state_.bytes.begin) / width(); ++row) {
    const core::Address begin = address_of(row, 0);
    const auto from = static_cast<unsigned>(std::max(first, begin) - begin);
    const auto to = static_cast<unsigned>(std::min(last, begin + width() - 1) - begin);
    const ImVec2 low{byte_x(from), row_y(row)}, high{byte_x(to) + state_.byte_size.x, row_y(row) + row_height_ - 1};
    fill_focus(list_, low, high, context_.theme, mark);
    outline_focus(list_, low, high, context_.theme, mark, context_.scale);
  }
}

void HexTable::draw_cursor() {
  const std::uint64_t from_top = state_.cursor - state_.bytes.begin;
  if (from_top >= state_.bytes.bytes.size()) return;
  const auto row = static_cast<std::size_t>(from_top / width());
  const auto column = static_cast<unsigned>(from_top % width());
  const float y = row_y(row), inset = context_.px(1);
  const ImU32 ink = ImGui::GetColorU32(state_.edit.armed ? context_.theme.bad : context_.theme.accent);
  list_->AddRect({byte_x(column) + inset, y + inset}, {byte_x(column) + state_.byte_size.x - inset, y + row_height_ - inset}, ink,
                 0, context_.px(1.5F));
  if (shows_text_) list_->AddRect({text_x(column), y}, {text_x(column + 1), y + row_height_}, ink, 0, context_.px(1));
}

float HexTable::byte_x(unsigned column) const {
  const unsigned characters = address_characters_ + column * kByteCharacters + column / kBytesInGroup;
  return origin_.x + character_ * static_cast<float>(characters);
}

float HexTable::text_x(unsigned column) const {
  return origin_.x + character_ * static_cast<float>(address_characters_ + hex_part(width()) + kBesideText + column);
}

}  // namespace dlscope::app
