// The texels of a difference: from a few pairs of values of each, and from every pair. See core/reduce/texel_reading.h.
// thread: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/compare/compare.h"
#include "core/compare/pair_differences.h"
#include "core/elements/element_bytes.h"
#include "core/elements/element_reader.h"
#include "core/reduce/cell_places.h"
#include "core/reduce/texel_reading.h"

namespace dlscope::core {

// Two tensors of one shape whose values are single numbers; axes that fit them, none reduced; a window with at least one cell.
struct DifferenceSubject {
  ComparedTensor a, b;  // their readers outlive what reads them
  CellAxes axes;
  CellWindow window;
  DifferenceKind kind{};
};

class SampledDifferences final : public SampleReading {
 public:
  explicit SampledDifferences(const DifferenceSubject& subject);
  void advance(std::int64_t nanoseconds, Texels& out) override;
  [[nodiscard]] std::int64_t rows_done() const override { return row_; }

 private:
  struct Side {
    CellPlaces places;
    const MemoryReader& reader;
    ElementBytes elements;
    std::vector<std::byte> room;
  };
  void read_row(Texels& out);

  Side a_, b_;
  PairDifferences differences_;
  CellWindow window_;
  bool runs_across_;  // the values read of a texel are neighbours in a row, else in a column
  std::int64_t run_ = 1, row_ = 0;
  std::vector<std::size_t> ends_;  // of each texel's pairs
};

// Block by block: some lines of cells and a stretch of each, so that a tensor that lies the other way than A is read in its own order.
class ExactDifferences final : public ExactReading {
 public:
  explicit ExactDifferences(const DifferenceSubject& subject);
  ExactDifferences(const ExactDifferences&) = delete;  // the readers refer to its axes
  ExactDifferences& operator=(const ExactDifferences&) = delete;

  [[nodiscard]] Result<void> advance(std::int64_t nanoseconds, Texels& out) override;
  [[nodiscard]] bool complete() const override { return line_ == lines_; }
  [[nodiscard]] TexelRect lines(std::int64_t from, std::int64_t to) const override;
  [[nodiscard]] std::int64_t lines_done() const override { return line_; }
  [[nodiscard]] std::uint64_t places() const override { return places_; }
  [[nodiscard]] std::uint64_t places_done() const override { return places_done_; }

 private:
  // A stretch of the cells of one direction.
  struct Stretch {
    std::int64_t from = 0, count = 0;
  };
  // One direction of the window.
  struct Direction {
    std::int64_t from = 0, count = 0, step = 1;  // cells; of a texel
    [[nodiscard]] std::int64_t texels() const { return (count + step - 1) / step; }
  };
  struct Side {
    Side(const ComparedTensor& tensor, const CellAxes& axes);
    // Into `block`, line after line.
    [[nodiscard]] Result<void> read(bool along_rows, Stretch lines, Stretch cells);

    CellPlaces places;
    ElementSource source;
    AffineAxes axes;
    std::optional<ElementReader> reader;
    std::vector<std::byte> block;
  };
  void begin_line();
  [[nodiscard]] Result<void> read_block();
  void add_line(const std::byte* a, const std::byte* b, Stretch cells);
  void add_equal(Stretch cells);
  void end_line(Texels& out);

  Side a_, b_;
  PairDifferences differences_;
  bool along_rows_;  // a line is a row of texels
  Direction fast_, slow_;
  std::int64_t lines_ = 0, line_ = 0;
  std::uint64_t places_ = 0, places_done_ = 0;
  Stretch line_cells_;  // of the line: lines of cells that are still to be read
  std::int64_t cell_ = 0;  // of these lines: where the next block begins
  bool begun_ = false;
  std::vector<TexelTotals> totals_;  // of the line
};

}  // namespace dlscope::core
