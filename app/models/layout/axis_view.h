// AxisView: the visible part of a long row of units (rows, columns, bits): the unit at the left edge and the pixels per unit. The
// whole part of the position is an integer, so it is exact even within 2^60 units.
#pragma once

#include <cstdint>

namespace dlscope::app {

struct AxisLimits {
  std::int64_t length = 0;  // number of units
  double room = 1;          // width in pixels
  double most_px = 64;      // the most pixels per unit
  double natural_px = 24;   // pixels per unit at 1:1, where a unit can be read
};

class AxisView {
 public:
  // Shows everything, but not larger than 1:1. The state of a new view.
  void fit(const AxisLimits& limits);
  // Shows units at natural size, keeping what is at pixel `x`.
  void one_to_one(const AxisLimits& limits, double x);
  // Multiplies the pixels per unit; the unit at pixel `x` stays there as far as the ends allow.
  void zoom(const AxisLimits& limits, double x, double factor);
  // Moves the content by that many pixels: to the right when positive.
  void pan(const AxisLimits& limits, double pixels);
  // Shows [begin, end) with some margin.
  void show(const AxisLimits& limits, std::int64_t begin, std::int64_t end);
  // Moves as little as needed to show [begin, begin + units); not at all when it is visible.
  void reveal(const AxisLimits& limits, std::int64_t begin, std::int64_t units);
  // Call after room or length changed. A view that showed everything goes on doing so.
  void settle(const AxisLimits& limits);

  // Pixel of a unit's left edge, relative to the left end. Inexact far outside of the visible part.
  [[nodiscard]] double x_of(std::int64_t unit) const;
  // The unit at a pixel; may be outside of the row.
  [[nodiscard]] std::int64_t unit_at(double x) const;
  [[nodiscard]] double px_per_unit() const { return px_; }
  // Everything is visible: begins at 0 and ends inside the room.
  [[nodiscard]] bool fitted() const { return fitted_; }
  [[nodiscard]] std::int64_t first() const { return first_; }

 private:
  void clamp(const AxisLimits& limits);

  std::int64_t first_ = 0;  // unit at the left edge
  double part_ = 0;         // the part of that unit hidden to the left: [0, 1)
  double px_ = 0;
  bool fitted_ = true;
};

}  // namespace dlscope::app
