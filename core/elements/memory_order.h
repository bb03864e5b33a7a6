// MemoryOrder: an order of a strided tensor's values that follows memory, for work whose result does not depend on the order
// (statistics, searches). Axes are sorted by stride and negative strides walked backwards, so a transposed or reversed dense array is
// one contiguous run. The values in this order are numbered 0, 1, ...; such a number is called a *place*.
// Axes of stride 0 (broadcasts) are not walked: one place stands for repeats() values. Otherwise every element has a place of its own,
// also if several lie at one address (a sliding window). So each cache line is visited once, except where elements overlap.
// It only computes positions; ElementReader reads. thread: any; immutable after construction.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/address.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// A run of consecutive places: place + i has the value first + i * step, for i below `count`.
struct AffineRun {
  std::uint64_t place = 0;
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::uint64_t count = 0;
};

// A function of the place: the origin plus, for each axis, step times the position along that axis. Used for where a value lies (in
// bits) and for which element it is (its index).
struct AffineAxes {
  struct Axis {
    std::int64_t step = 0;
    std::uint64_t count = 1;
  };
  std::int64_t origin = 0;  // at place 0
  std::vector<Axis> axes;   // innermost first; two neighbours that are one longer axis have been joined

  [[nodiscard]] std::int64_t at(std::uint64_t place) const;
  [[nodiscard]] std::uint64_t places() const {
    std::uint64_t all = 1;
    for (const Axis& axis : axes) all *= axis.count;
    return all;
  }
};

// Splits the places [from, to) of `axes`, which must outlive it, into runs with one step each. Construct another one to resume at a
// remembered place.
class AffineCursor {
 public:
  AffineCursor(const AffineAxes& axes, std::uint64_t from, std::uint64_t to);
  // False at the end. A run has at most `most` (> 0) places.
  [[nodiscard]] bool next(AffineRun& run, std::uint64_t most = ~std::uint64_t{0});

 private:
  const AffineAxes& axes_;
  std::uint64_t place_, to_;
  std::int64_t value_ = 0;                              // of the axes at place_
  std::array<std::uint64_t, kMaxRank + 1> position_{};  // along each axis
};

class MemoryOrder {
 public:
  // `layout` is a validated one (check_layout) whose element [0,...,0] lies at `address`. The lanes of an element are values of
  // their own.
  MemoryOrder(LayoutView layout, DType dtype, Address address);

  // Values there are: elements x lanes. Their index is the C-order number of the element x lanes + the lane.
  [[nodiscard]] std::uint64_t values() const { return places_ * repeats_; }
  // Values that are walked: each place stands for repeats() values.
  [[nodiscard]] std::uint64_t places() const { return places_; }
  [[nodiscard]] std::uint64_t repeats() const { return repeats_; }
  [[nodiscard]] unsigned value_bits() const { return value_bits_; }

  // Every place is `bits().at(place)` bits beyond this address; never negative.
  [[nodiscard]] Address base() const { return base_; }
  [[nodiscard]] const AffineAxes& bits() const { return bits_; }
  // The lowest index of a place's values; the highest is last_repeat() more.
  [[nodiscard]] const AffineAxes& indices() const { return indices_; }
  [[nodiscard]] std::uint64_t last_repeat() const { return last_repeat_; }

 private:
  std::uint64_t places_ = 1, repeats_ = 1, last_repeat_ = 0;
  unsigned value_bits_;
  Address base_ = 0;
  AffineAxes bits_, indices_;
};

}  // namespace dlscope::core
