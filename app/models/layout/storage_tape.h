// StorageTape: a tensor's elements as a row of cells in address order: each with the element there, or none (a hole), or several
// (a broadcast, a sliding window). Positions are in bits from the first bit of element [0,...,0], so packed types and tensors
// without an address have a tape, too. Reads no memory; the cost depends on the pieces asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/models/layout/element_hits.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// A part of the tape: one cell, adjacent cells of one element or of one hole, or `step` cells when zoomed out.
struct TapePiece {
  std::int64_t begin = 0, end = 0;       // bits
  std::optional<std::uint64_t> element;  // the lowest C-order number among the elements that touch it
  // How many elements touch it; nullopt: counting took too long (then `element` is one of them, not surely the lowest).
  std::optional<std::uint64_t> elements = 0;
  // The approximate part of its bits that elements touch; nullopt: unknown.
  std::optional<double> filled = 0;
};

class StorageTape {
 public:
  // The tensor must have a layout and at least one element.
  StorageTape(core::SnapshotPtr snapshot, std::uint32_t tensor);

  // Bits of one cell: the largest size such that element boundaries fall between cells.
  [[nodiscard]] std::int64_t cell_bits() const { return cell_bits_; }
  [[nodiscard]] std::int64_t cells() const { return (bounds_.highest_bit - bounds_.lowest_bit) / cell_bits_; }
  // First touched bit, and one past the last.
  [[nodiscard]] std::int64_t begin() const { return bounds_.lowest_bit; }
  [[nodiscard]] std::int64_t end() const { return bounds_.highest_bit; }
  // The cell of a bit in [begin, end).
  [[nodiscard]] std::int64_t cell_of(std::int64_t bit) const { return (bit - begin()) / cell_bits_; }

  // No bit belongs to two elements.
  [[nodiscard]] bool each_once() const { return one_each_ && hits_.repeats() == 1; }

  // Fills `out` with the cells [first, first + step * pieces), cut at the ends. With step 1, adjacent cells with the same content
  // are one piece.
  void read(std::int64_t first, std::int64_t step, std::uint32_t pieces, std::vector<TapePiece>& out) const;
  // An element that touches these bits: the lowest one if that is found in bounded time; nullopt: none, or too much work.
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
