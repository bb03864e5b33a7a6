// TapePainter: draws the storage tape in one frame: the strips, the marks above and the ruler below them, the mouse.
#pragma once

#include <string>

#include "app/panels/layout/layout_picture.h"

namespace dlscope::app {

class TapePainter : LayoutPicture {
 public:
  TapePainter(const FrameContext& context, LayoutPanelState& state, const LayoutFocus& focus, Commands& commands)
      : LayoutPicture(context, state, focus, commands) {}

  // Fills `size` from the cursor on.
  void draw(ImVec2 size);

 private:
  // layout_tape.cpp
  void lay_out(ImVec2 size);
  [[nodiscard]] float names_width() const;
  [[nodiscard]] double place_for_keys() const;
  void move();
  void zoom_to_piece(std::int64_t bit);
  void draw_names();
  void read(TapeStrip& strip);
  void draw_strip(std::size_t i);
  [[nodiscard]] bool lit(const TapePiece& piece) const;
  ImU32 colour_of(std::size_t i, const TapePiece& piece) const;
  void draw_piece(std::size_t i, const TapePiece& piece, ElementForm form, ImVec2 from, ImVec2 to);
  void draw_label(std::size_t i, const TapePiece& piece, ElementForm form, ImVec2 from, ImVec2 to, ImU32 fill);
  void draw_focus();
  [[nodiscard]] float x_of(std::int64_t bit) const;
  [[nodiscard]] float top_of(std::size_t strip) const;
  [[nodiscard]] float bottom_of(std::size_t strip) const;
  // The tensor is so small relative to its group that it would hardly be visible.
  [[nodiscard]] bool lost_in_group() const { return state_.range.bits / 8 > state_.range.own_end - state_.range.own_begin; }
  void show_own() { state_.tape.show(limits_, state_.range.own_begin, state_.range.own_end); }

  // layout_tape_marks.cpp
  void draw_ruler();
  void draw_marks();
  void draw_offset(float y);
  void draw_direction(float y, int axis, std::int64_t stride, const ImVec4& colour);
  void draw_origin(float y);
  void arrow(float x0, float x1, float y, ImU32 ink);
  void label_beside(const std::string& text, float right_of, float left_of, float y, ImU32 ink);

  // layout_tape_reach.cpp
  void draw_reach();
  void draw_reach_piece(const ReachPiece& piece, std::uint64_t most);
  void draw_reach_words();
  void explain_reach(std::int64_t bit) const;

  // layout_tape_hover.cpp
  void hover();
  void hover_strip(std::size_t i, std::int64_t bit);
  [[nodiscard]] Focus focus_of(const TapeStrip& strip, const TapePiece& piece, std::int64_t bit) const;
  void explain_piece(const TapeStrip& strip, const TapePiece& piece) const;

  float left_ = 0, strip_top_ = 0, reach_top_ = 0, ruler_top_ = 0, others_top_ = 0;
  bool marks_ = true, words_ = false;
  std::size_t shown_strips_ = 1;
  AxisLimits limits_;
};

}  // namespace dlscope::app
