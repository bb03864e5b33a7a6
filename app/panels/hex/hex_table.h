// HexTable: the rows of bytes in one frame: layout, scrolling, drawing, mouse and keys. Its state between frames is in
// HexPanelState.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>

#include "app/panels/hex/hex_panel.h"

namespace dlscope::app {

// Characters of a row of `width` bytes, with its address and its text column.
[[nodiscard]] unsigned hex_characters(const HexPanelState& state, unsigned width);

class HexTable {
 public:
  HexTable(const FrameContext& context, HexPanelState& state, Commands& commands)
      : context_(context), state_(state), commands_(commands), list_(ImGui::GetWindowDrawList()) {}

  // Fills `size` from the window's cursor on, in the monospaced font.
  void draw(ImVec2 size);

 private:
  // hex_table.cpp
  void lay_out(ImVec2 size);
  void follow_pin();
  void draw_scroll_bar();
  void read();
  void draw_row(std::size_t row);
  void fill_owners(std::size_t row);
  void draw_bytes(std::size_t row);
  void draw_range(core::Address first, core::Address last, FocusMark mark);
  void draw_focus(const Focus& focus, FocusMark mark);
  void draw_cursor();
  [[nodiscard]] bool may_be_others(const ByteOwner& owner) const;
  [[nodiscard]] float byte_x(unsigned column) const;
  [[nodiscard]] float text_x(unsigned column) const;
  [[nodiscard]] float row_y(std::size_t row) const { return origin_.y + row_height_ * static_cast<float>(row); }
  [[nodiscard]] core::Address address_of(std::size_t row, unsigned column) const {
    return state_.bytes.begin + row * width() + column;
  }
  [[nodiscard]] unsigned width() const { return state_.rows.width; }

  // hex_table_input.cpp
  void scroll_by_wheel();
  void mouse();
  void keys();
  void describe(core::Address at) const;
  void move_to(core::Address at, bool extend);
  [[nodiscard]] std::optional<core::Address> byte_at(ImVec2 mouse) const;
  [[nodiscard]] const ByteOwner* owner_of(core::Address at) const;

  const FrameContext& context_;
  HexPanelState& state_;
  Commands& commands_;
  ImDrawList* list_;
  ImVec2 origin_, size_;
  float character_ = 1, row_height_ = 1;
  unsigned address_characters_ = 0;
  bool shows_text_ = true, hovered_ = false, focused_ = false;
};

// Moves the cursor and pins the element there, so that every view follows. The address must be in the rows.
void put_cursor(const FrameContext& context, HexPanelState& state, core::Address at, Commands& commands);
// Scrolls only as far as needed.
void bring_into_view(HexPanelState& state, core::Address at);
// The owner of the byte at the cursor.
[[nodiscard]] const ByteOwner& owner_at_cursor(const FrameContext& context, HexPanelState& state);

}  // namespace dlscope::app
