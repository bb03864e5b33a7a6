// The texts of a lane: each inside its shape and the box, in letters that fit, or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/models/map/map_layout.h"

namespace dlscope::app {

inline constexpr float kLabelPad = 4;  // pixels at 100 %, beside a label

class LaneLabels {
 public:
  LaneLabels(const LaneBox& box, const TextWidth& width, LanePicture& out) : box_(box), width_(width), out_(out) {}

  // Of the text that begins at `from` in the picture's texts; it is taken out again where it does not fit. True when it was added.
  bool add(MapLabel::Kind kind, std::size_t from, const MapShape& shape, std::uint32_t tensor) {
    return add(kind, from, shape, tensor, letters_in(shape, 1));
  }
  bool add(MapLabel::Kind kind, std::size_t from, const MapShape& shape, std::uint32_t tensor, float size);
  // Whole segments of it, as many as fit, in smaller letters where the row is low.
  void add_name(std::string_view name, const MapShape& shape, std::uint32_t tensor);
  void push(MapLabel label, std::size_t from);

  // What a name or a branch has in this shape: the height of its letters, and room for text at a whole line's height. 0: none.
  struct Room {
    float letters = 0, width = 0;
  };
  [[nodiscard]] Room room_for_name(const MapShape& shape) const;
  [[nodiscard]] float width_of(std::size_t from) const { return width_(std::string_view(out_.texts).substr(from)); }
  [[nodiscard]] float least_room() const { return box_.line * 0.7F; }

 private:
  [[nodiscard]] float letters_in(const MapShape& shape, float least) const;  // lines; 0: not even `least`
  [[nodiscard]] float left_of(const MapShape& shape) const;
  [[nodiscard]] float right_of(const MapShape& shape) const;

  const LaneBox& box_;
  const TextWidth& width_;
  LanePicture& out_;
};

}  // namespace dlscope::app
