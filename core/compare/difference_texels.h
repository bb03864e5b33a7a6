// Computes the texels of a picture of a - b: SampledDifferences from a few pairs per texel, ExactDifferences from all. See
// core/reduce/texel_reading.h.
// thread: one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compare/cell_block.h"
#include "core/compare/compare.h"
#include "core/compare/pair_differences.h"
#include "core/elements/element_bytes.h"
#include "core/reduce/cell_places.h"
#include "core/reduce/column_totals.h"
#include "core/reduce/texel_reading.h"
#include "core/reduce/window_lines.h"

namespace dlscope::core {

// Two tensors of equal shape with one lane per element; axes that fit them and reduce none; a window with at least one cell.
struct DifferenceSubject {
  ComparedTensor a, b;  // their readers must outlive the reading
  CellAxes axes;
  CellWindow window;
  DifferenceKind kind{};
};

class SampledDifferences final : public LineReading {
 public:
  explicit SampledDifferences(const DifferenceSubject& subject);
  [[nodiscard]] std::int64_t line_count() const override { return window_.texel_rows(); }
  [[nodiscard]] TexelRect lines(std::int64_t from, std::int64_t to) const override { return rows_of(window_, from, to); }
  void begin(std::int64_t line) override { row_ = line; }
  [[nodiscard]] Result<bool> advance(std::int64_t ends, Texels& out) override;

 private:
  struct Side {
    CellPlaces places;
    ElementSource source;
    DType dtype;
    SignBits signs;
    ElementBytes elements;
    std::vector<std::byte> room;
  };
  [[nodiscard]] static const std::byte* read_values(Side& side);
  void read_row(Texels& out);

  Side a_, b_;
  PairDifferences differences_;
  CellWindow window_;
  bool runs_across_;  // the values read of a texel are neighbours in a row, else in a column
  std::int64_t run_ = 1, row_ = 0;
  std::vector<std::size_t> ends_;  // of each texel's pairs
};

// Reads block by block (CellBlock). If B is a transposed copy of A, the blocks are square, so that each side is read in long
// runs of its own memory; several lines of texels are then computed together.
class ExactDifferences final : public LineReading {
 public:
  explicit ExactDifferences(const DifferenceSubject& subject);

  [[nodiscard]] std::int64_t line_count() const override { return lines_.count(); }
  [[nodiscard]] std::int64_t together() const override;
  [[nodiscard]] TexelRect lines(std::int64_t from, std::int64_t to) const override { return lines_.texels(from, to); }
  void begin(std::int64_t line) override;
  [[nodiscard]] Result<bool> advance(std::int64_t ends, Texels& out) override;
  [[nodiscard]] std::uint64_t places_done() const override { return places_done_; }

 private:
  [[nodiscard]] Result<void> read_block();
  void add_line(const std::byte* a, const std::byte* b, std::int64_t cells);
  void fold(std::int64_t cells);
  void end_group(Texels& out) const;

  CellBlock a_, b_;
  PairDifferences differences_;
  WindowLines lines_;  // as A's memory runs
  bool transposed_;    // B's memory runs across A's
  std::uint64_t places_done_ = 0;

  // The lines of texels [line_, line_ + group_) are computed together: they have rows_ lines of cells, of which row_ are done,
  // for the cells from cell_ on.
  std::int64_t line_ = 0, group_ = 0, rows_ = 0, row_ = 0, cell_ = 0;
  std::vector<TexelTotals> totals_;  // of the group, line after line
  // Of the stretch and the line of texels at hand, one entry for each cell.
  ColumnTotals<double> columns_;
  std::vector<std::uint8_t> unequal_;
  std::uint64_t added_ = 0, equal_ = 0;  // lines of cells: in columns_; of nothing but equal pairs
};

}  // namespace dlscope::core
