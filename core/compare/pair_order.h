// PairOrder: an order in which to visit the values of two layouts of equal shape so that both memories are read well. Axes are
// sorted by the size of their strides in either layout, beginning at the lowest address of the first. If the axis with the
// smallest stride differs between the two (one is a transposed copy), those two axes are visited in tiles, so that a cache line
// is used up before it is evicted. Reads no memory. thread: any; immutable after construction.
#pragma once

#include <cstdint>
#include <vector>

#include "core/elements/memory_order.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// A range of places 0 ... count - 1 that is visited without interruption.
struct PairBox {
  std::uint64_t count = 0;
  std::uint64_t tile = 1;     // places that should be read together
  AffineAxes bits_a, bits_b;  // bit offsets from base_a and base_b; never negative
  AffineAxes indices;         // index of the value at a place
};

class PairOrder {
 public:
  // Layouts that passed check_layout(), of equal shape, with `lanes` lanes per element; bits_a, bits_b: of one value.
  PairOrder(LayoutView a, LayoutView b, unsigned lanes, unsigned bits_a, unsigned bits_b);

  [[nodiscard]] const std::vector<PairBox>& boxes() const { return boxes_; }
  [[nodiscard]] std::uint64_t places() const { return places_; }    // of all boxes
  // Values per place: the product of the axes that have stride 0 in both layouts.
  [[nodiscard]] std::uint64_t repeats() const { return repeats_; }
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
