#include "app/models/map/lane_labels.h"

#include <algorithm>
#include <cmath>

#include "app/models/text/name_path.h"

namespace dlscope::app {
namespace {

constexpr float kMinLetters = 0.6F;  // of a line: smaller names are not readable

}  // namespace

bool LaneLabels::add(MapLabel::Kind kind, std::size_t from, const MapShape& shape, std::uint32_t tensor, float size) {
  const float left = left_of(shape), right = right_of(shape);
  const bool room = size > 0 && right - left >= least_room();
  const float width = room ? width_of(from) * size / box_.line : 0;
  if (width <= 0 || width > right - left) {
    out_.texts.resize(from);
    return false;
  }
  const float x = kind == MapLabel::Kind::name ? left : (left + right - width) * 0.5F;
  push({.kind = kind,
        .x = std::floor(x),
        .y = std::floor((shape.y0 + shape.y1 - size) * 0.5F),
        .width = width,
        .size = size,
        .tensor = tensor},
       from);
  return true;
}

void LaneLabels::add_name(std::string_view name, const MapShape& shape, std::uint32_t tensor) {
  const Room room = room_for_name(shape);
  if (room.letters <= 0) return;
  const std::size_t from = out_.texts.size();
  fit_short_path(name, room.width, width_).append_to(out_.texts);
  if (out_.texts.size() > from) add(MapLabel::Kind::name, from, shape, tensor, room.letters);
}

void LaneLabels::push(MapLabel label, std::size_t from) {
  label.text_begin = static_cast<std::uint32_t>(from);
  label.text_size = static_cast<std::uint32_t>(out_.texts.size() - from);
  out_.labels.push_back(label);
}

LaneLabels::Room LaneLabels::room_for_name(const MapShape& shape) const {
  const float letters = letters_in(shape, kMinLetters);
  const float width = right_of(shape) - left_of(shape);
  if (letters <= 0 || width < least_room()) return {};
  return {letters, width * box_.line / letters};
}

float LaneLabels::letters_in(const MapShape& shape, float least) const {
  const float height = std::min(box_.line, std::floor(shape.y1 - shape.y0));
  return height >= box_.line * least ? height : 0;
}

float LaneLabels::left_of(const MapShape& shape) const { return std::max(shape.x0, box_.left) + kLabelPad * box_.scale; }
float LaneLabels::right_of(const MapShape& shape) const { return std::min(shape.x1, box_.right()) - kLabelPad * box_.scale; }

}  // namespace dlscope::app
