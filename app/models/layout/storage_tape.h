// StorageTape: where a tensor's elements lie, as a row of cells in address order: each with the element that lies there, or
// none (a hole), or several (a broadcast, a sliding window). In bits, counted from the first bit of element [0,...,0], so that
// packed types and tensors without an address have a tape too. Numbers only: it reads no memory. Costs the pieces asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/models/layout/element_hits.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// A stretch of the tape: one cell, neighbouring cells of the same single element or of one hole, or `step` cells seen from afar.
struct TapePiece {
  std::int64_t begin = 0, end = 0;       // bits
  std::optional<std::uint64_t> element;  // the lowest C-order number among the elements that touch it
  // How many elements touch it; nullopt when counting took too long (then `element` is one of them, not surely the lowest).
  std::optional<std::uint64_t> elements = 0;
  // The part of its bits that elements touch, about; nullopt when unknown.
  std::optional<double> filled = 0;
};

class StorageTape {
 public:
  // The tensor must have a layout and elements.
  StorageTape(core::SnapshotPtr snapshot, std::uint32_t tensor);

  // Bits of one cell: the most that no element boundary cuts.
  [[nodiscard]] std::int64_t cell_bits() const { return cell_bits_; }
  [[nodiscard]] std::int64_t cells() const { return (bounds_.highest_bit - bounds_.lowest_bit) / cell_bits_; }
  // First bit touched and one past the last.
  [[nodiscard]] std::int64_t begin() const { return bounds_.lowest_bit; }
  [[nodiscard]] std::int64_t end() const { return bounds_.highest_bit; }
  // The cell a bit lies in; only bits of [begin, end) have one.
  [[nodiscard]] std::int64_t cell_of(std::int64_t bit) const { return (bit - begin()) / cell_bits_; }

  // Fills `out` with what lies in the cells [first, first + step * pieces), cut at the ends. With step 1 neighbours that show the
  // same are one piece.
  void read(std::int64_t first, std::int64_t step, std::uint32_t pieces, std::vector<TapePiece>& out) const;
  // One element that touches these bits, the lowest-numbered if that is found in bounded time; nullopt: none, or too hard.
  [[nodiscard]] std::optional<std::uint64_t> element_at(std::int64_t begin_bit, std::int64_t end_bit) const;

 private:
  core::SnapshotPtr snapshot_;
  const core::TensorRecord* tensor_;
  core::LayoutBounds bounds_;
  ElementHits hits_;
  std::int64_t cell_bits_ = 8;
  bool one_each_ = true;  // apart from stride 0, no bit belongs to two elements
};

}  // namespace dlscope::app
