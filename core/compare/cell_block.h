// CellBlock: some lines of cells of a tensor, and a stretch of each, as plain values one line after the other, sign bits applied. What lies transposed in memory
// is read in its own order (ElementReader).
// thread: one; kept from one use to the next for its room.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/compare/compare.h"
#include "core/elements/element_reader.h"
#include "core/reduce/cell_places.h"

namespace dlscope::core {

// A stretch of the cells of one direction.
struct CellStretch {
  std::int64_t from = 0, count = 0;
};

class CellBlock {
 public:
  static constexpr std::int64_t kMaxValues = std::int64_t{1}
                                              << 15;  // of a block, about: in the second-level cache with another one

  // Axes fit the tensor, none is reduced, and its elements are single values.
  CellBlock(const ComparedTensor& tensor, const CellAxes& axes);
  CellBlock(const CellBlock&) = delete;  // the reader refers to the axes
  CellBlock& operator=(const CellBlock&) = delete;

  // along_rows: a line is a row of cells, else a column. Fails where a byte cannot be read.
  [[nodiscard]] Result<void> read(bool along_rows, CellStretch lines, CellStretch cells);
  // Of the block: the first value of a line.
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
