// ElementHits: the elements of a view that touch a range of bits: their number, and the lowest C-order number among them. Needed
// for every cell of the storage tape. Exact within a budget of steps; ordinary layouts need a few per axis, however many elements
// there are. Does not allocate after construction. thread: any, one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/tensor/layout.h"

namespace dlscope::app {

struct Hits {
  // Saturating at 2^64 - 1; nullopt: the budget was spent before all were counted.
  std::optional<std::uint64_t> count = 0;
  // C-order number. The lowest when the count is known, otherwise one of them if any was found.
  std::optional<std::uint64_t> element;
};

class ElementHits {
 public:
  // `layout` must have passed check_layout() with these bounds; it is copied.
  ElementHits(core::LayoutView layout, const core::LayoutBounds& bounds);

  // The elements with a bit in [begin, end), relative to the first bit of element [0,...,0]. Subtracts the work from `steps`.
  [[nodiscard]] Hits touching(std::int64_t begin, std::int64_t end, std::uint64_t& steps) const;
  // Every touched bit belongs to at least this many elements, because of axes with stride 0.
  [[nodiscard]] std::uint64_t repeats() const { return repeats_; }

 private:
  struct Axis {
    std::int64_t stride = 1;   // bits, positive
    std::int64_t count = 2;    // > 1
    std::uint64_t weight = 0;  // what one index adds to the C-order number
    bool backwards = false;
  };
  struct Search;
  void walk(Search& search, std::size_t depth, std::int64_t low, std::int64_t high, std::uint64_t number) const;
  [[nodiscard]] static std::uint64_t lowest_number(const Axis& axis, std::int64_t first, std::int64_t last);

  std::array<Axis, core::kMaxRank> axes_;                     // longest stride first
  std::array<std::int64_t, core::kMaxRank + 1> reach_{};      // highest start that the axes from here on can produce
  std::array<std::uint64_t, core::kMaxRank + 1> elements_{};  // product of the axes from here on
  std::size_t rank_ = 0;
  std::int64_t lowest_ = 0, highest_ = 0;  // of the layout, in bits
  std::int64_t item_bits_ = 8;
  std::uint64_t repeats_ = 1;
  bool empty_ = false;
};

}  // namespace dlscope::app
