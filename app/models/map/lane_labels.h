// The labels of a lane: each stays inside its shape and the box, in a size that fits, or is left out.
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

  // Adds the text from `from` to the end of the picture's texts as a label; removes the text when it does not fit. True: added.
  bool add(MapLabel::Kind kind, std::size_t from, const MapShape& shape, std::uint32_t tensor) {
    return add(kind, from, shape, tensor, letters_in(shape, 1));
  }
  bool add(MapLabel::Kind kind, std::size_t from, const MapShape& shape, std::uint32_t tensor, float size);
  // As many whole segments of the name as fit, in smaller letters when the row is low.
  void add_name(std::string_view name, const MapShape& shape, std::uint32_t tensor);
  void push(MapLabel label, std::size_t from);

  // The room for a name in this shape: height of its letters, and width for text at full line height. 0: none.
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
