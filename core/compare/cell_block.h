// CellBlock: a rectangle of a tensor's cells (core/reduce/cell_axes.h), copied as plain values, one line after the other. The
// sign bits of the library are applied. Memory is read in its own order, also where a line of cells runs across it
// (ElementReader).
// thread: one at a time. Reuse one object for all blocks: it keeps its buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/compare/compare.h"
#include "core/elements/element_reader.h"
#include "core/reduce/cell_places.h"

namespace dlscope::core {

// Neighbouring cells along one axis of the picture.
struct CellStretch {
  std::int64_t from = 0, count = 0;
};

class CellBlock {
 public:
  // About how many values a block should have, so that two blocks fit into the second-level cache.
  static constexpr std::int64_t kMaxValues = std::int64_t{1} << 15;

  // `axes` fit the tensor and reduce none of its axes; its elements have one lane.
  CellBlock(const ComparedTensor& tensor, const CellAxes& axes);
  CellBlock(const CellBlock&) = delete;  // the reader refers to the axes
  CellBlock& operator=(const CellBlock&) = delete;

  // along_rows: a line is a row of the picture, else a column. Fails when a byte cannot be read.
  [[nodiscard]] Result<void> read(bool along_rows, CellStretch lines, CellStretch cells);
  // The first value of a line of the block that was read last.
  [[nodiscard]] const std::byte* line(std::int64_t line) const {
    return values_.data() + static_cast<std::size_t>(line * width_) * value_bytes_;
  }
  [[nodiscard]] const CellPlaces& places() const { return places_; }

 private:
  [[nodiscard]] Result<void> read_piece(std::uint64_t run, std::uint64_t all, std::uint64_t first_line, std::uint64_t first_cell);

  CellPlaces places_;
  ElementSource source_;
  DType dtype_;
  SignBits signs_;
  std::size_t value_bytes_;
  std::int64_t width_ = 0;
  AffineAxes axes_;
  std::optional<ElementReader> reader_;
  std::vector<std::byte> values_;
};

}  // namespace dlscope::core
