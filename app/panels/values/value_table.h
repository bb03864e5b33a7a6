// ValueTable: the table of numbers in one frame: layout, scrolling, drawing, mouse and keys. Its state between frames is in
// ValuesPanelState.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/panels/values/values_panel.h"

namespace dlscope::app {

// Height of a row and of the header, in the current font.
[[nodiscard]] float value_row_height(const FrameContext& context);
// How many elements of a vector fit into a row, in the current font.
[[nodiscard]] std::uint64_t wrap_for_room(const FrameContext& context, const ValuesPanelState& state, std::uint64_t elements);
// The kept values, if they are shown in place of bytes that may not be the tensor's own; null: they are not.
[[nodiscard]] const KeptTable* shown_kept(const FrameContext& context, const ValuesPanelState& state);

class ValueTable {
 public:
  // Fills the rest of the window from the cursor on, except for `below` pixels, in the current font.
  ValueTable(const FrameContext& context, ValuesPanelState& state, const ValueGrid& grid, float below, Commands& commands)
      : context_(context),
        state_(state),
        grid_(grid),
        tensor_(context.values.record()),
        below_(below),
        own_(context.bytes_are_its_own(state.tensor)),
        then_(shown_kept(context, state)),
        commands_(commands) {}

  void draw();

 private:
  // value_table.cpp
  void lay_out();
  void share_room();
  void follow_pin();
  void bring_into_view(CellPlace place);
  void draw_scroll_bars();
  void read();
  void fetch(GridWindow wanted);
  void keep(bool changed);
  void take_ownership_change();
  [[nodiscard]] std::size_t note_changes();
  void draw_headers();
  void draw_cells();
  void draw_cell(ImDrawList* list, std::uint32_t r, std::uint32_t c);
  // Where the text begins; x if it has no room and is not drawn.
  float right_aligned(ImDrawList* list, float x, float y, const std::string& text, ImU32 ink) const;
  [[nodiscard]] std::optional<CellPlace> pinned_place() const;
  [[nodiscard]] CellPlace axis_line_through() const;
  [[nodiscard]] ImVec2 cell_at(std::uint32_t r, std::uint32_t c) const;

  // value_table_input.cpp
  void scroll_by_wheel();
  void mouse();
  void on_header(CellPlace at, bool over_rows, bool over_columns);
  [[nodiscard]] std::string axis_description(const char* way, int axis, std::optional<std::int64_t> at) const;
  void on_cell(CellPlace at);
  void drag();
  void describe(CellPlace at, std::uint64_t element) const;
  void keys();
  void pin_element(std::uint64_t element);
  [[nodiscard]] Focus focus_of(CellPlace at) const;
  [[nodiscard]] CellPlace place_at(ImVec2 mouse) const;

  const FrameContext& context_;
  ValuesPanelState& state_;
  const ValueGrid& grid_;
  const core::TensorRecord& tensor_;
  float below_;
  bool own_;  // the bytes at the tensor's address are known to be its own
  const KeptTable* then_;
  Commands& commands_;
  bool hovered_ = false, focused_ = false;
  ImVec2 origin_, size_;
  float row_height_ = 0, header_width_ = 0, column_width_ = 0;
  std::uint64_t rows_seen_ = 0, columns_seen_ = 0, last_row_ = 0, last_column_ = 0;
};

}  // namespace dlscope::app
