// AxisView: the stretch of a long row of units (rows, columns, bits) that a view shows: which unit is at the left edge and
// how many pixels one unit takes. The whole part is an integer, so that a position in 2^60 units is still exact.
#pragma once

#include <cstdint>

namespace dlscope::app {

struct AxisLimits {
  std::int64_t length = 0;  // units there are
  double room = 1;          // pixels there are
  double most_px = 64;      // pixels a unit takes at most
  double natural_px = 24;   // pixels of a unit at 1:1, where it can be read
};

class AxisView {
 public:
  // Everything, but no larger than 1:1. What a new view shows.
  void fit(const AxisLimits& limits);
  // Units at natural size, around the pixel `x`.
  void one_to_one(const AxisLimits& limits, double x);
  // Multiplies the size of a unit; what lies under pixel `x` stays there as far as the ends allow.
  void zoom(const AxisLimits& limits, double x, double factor);
  // Moves what is shown by that many pixels: to the right when positive.
  void pan(const AxisLimits& limits, double pixels);
  // [begin, end) with some margin.
  void show(const AxisLimits& limits, std::int64_t begin, std::int64_t end);
  // Moves as little as brings [begin, begin + units) into view, and not at all when it is.
  void reveal(const AxisLimits& limits, std::int64_t begin, std::int64_t units);
  // After the room or the length changed. A view that showed everything goes on showing everything.
  void settle(const AxisLimits& limits);

  // Pixel of a unit's left edge, relative to the left end of the room. Far outside it is inexact.
  [[nodiscard]] double x_of(std::int64_t unit) const;
  // The unit under a pixel; may lie outside the row.
  [[nodiscard]] std::int64_t unit_at(double x) const;
  [[nodiscard]] double px_per_unit() const { return px_; }
  // Seen in full: begins at 0 and ends inside the room.
  [[nodiscard]] bool fitted() const { return fitted_; }
  [[nodiscard]] std::int64_t first() const { return first_; }

 private:
  void clamp(const AxisLimits& limits);

  std::int64_t first_ = 0;  // unit at the left edge
  double part_ = 0;         // of it, hidden to the left: [0, 1)
  double px_ = 0;
  bool fitted_ = true;
};

}  // namespace dlscope::app
