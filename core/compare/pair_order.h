// PairOrder: the values of two layouts of one shape in an order that is good for the memory of both: axes sorted by the distances they
// step in either, walked from the low end of the first. Where the axis with the smallest step is another one in the second layout (one
// of them is a transposed copy), the two axes are walked in tiles, so that what was brought to the cache is used before it is lost.
// Numbers only. thread: any; immutable after construction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/elements/memory_order.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// Places that are walked in one go, 0 ... count - 1.
struct PairBox {
  std::uint64_t count = 0;
  std::uint64_t tile = 1;     // places that are best read together
  AffineAxes bits_a, bits_b;  // beyond base_a and base_b, never negative
  AffineAxes indices;         // of a place's value
};

class PairOrder {
 public:
  // Validated layouts of one shape and of dtypes with as many lanes.
  PairOrder(LayoutView a, LayoutView b, unsigned lanes, unsigned bits_a, unsigned bits_b);

  [[nodiscard]] const std::vector<PairBox>& boxes() const { return boxes_; }
  [[nodiscard]] std::uint64_t places() const { return places_; }    // of all boxes
  [[nodiscard]] std::uint64_t repeats() const { return repeats_; }  // values for each: axes that step in neither layout
  // Bytes from element [0,...,0] to the lowest address, <= 0.
  [[nodiscard]] std::int64_t base_a() const { return base_a_; }
  [[nodiscard]] std::int64_t base_b() const { return base_b_; }

 private:
  struct Axis {
    std::int64_t a = 0, b = 0, index = 0;  // steps
    std::uint64_t count = 1;
  };
  struct Start {
    std::int64_t a = 0, b = 0, index = 0;
  };
  void add_box(const std::vector<Axis>& axes, Start start);
  void add_tiled(const std::vector<Axis>& axes, Start start);

  std::uint64_t tile_ = 1;  // along either of the two axes
  std::vector<PairBox> boxes_;
  std::uint64_t places_ = 0, repeats_ = 1;
  std::int64_t base_a_ = 0, base_b_ = 0;
};

}  // namespace dlscope::core
