// ExactTexels: the texels of a window from every value of it, line by line (WindowLines), in pieces of time. A line is read once,
// in the order of the memory.
// thread: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/elements/element_reader.h"
#include "core/reduce/cell_places.h"
#include "core/reduce/column_totals.h"
#include "core/reduce/number_rows.h"
#include "core/reduce/texel_reading.h"
#include "core/reduce/window_lines.h"

namespace dlscope::core {

class ExactTexels final : public LineReading {
 public:
  // A window of the table (check_window) with at least one cell; `dtype` is known. values.source.reader outlives it.
  ExactTexels(const TensorValues& values, const CellAxes& axes, const CellWindow& window);
  ExactTexels(const ExactTexels&) = delete;  // the reader refers to its axes
  ExactTexels& operator=(const ExactTexels&) = delete;

  [[nodiscard]] std::int64_t line_count() const override { return lines_.count(); }
  [[nodiscard]] TexelRect lines(std::int64_t from, std::int64_t to) const override { return lines_.texels(from, to); }
  void begin(std::int64_t line) override;
  [[nodiscard]] Result<bool> advance(std::int64_t ends, Texels& out) override;
  [[nodiscard]] std::uint64_t places_done() const override { return places_done_; }

 private:
  // Of the line that is being read, one entry for each texel.
  struct LineTotals {
    std::vector<double> min, max, sum;
    std::vector<std::uint64_t> count;
    std::vector<std::uint8_t> flags;
  };

  void begin_chunk();
  void begin_piece();
  [[nodiscard]] bool next_piece();  // false: the chunk has been read
  void take(const std::byte* raw, std::uint64_t count);
  template <class T>
  void take_values(const T* values, std::uint64_t count, ColumnTotals<T>& direct, ColumnTotals<T>& cells);
  template <class T>
  void end_stage(std::size_t stage, ColumnTotals<T>& cells);
  void end_chunk();
  template <class T>
  void fold(const ColumnTotals<T>& totals);
  void end_line(Texels& out);

  [[nodiscard]] const CellLine& inner_cells() const { return lines_.along_rows ? cell_places_.across : cell_places_.down; }
  [[nodiscard]] const CellLine& outer_cells() const { return lines_.along_rows ? cell_places_.down : cell_places_.across; }

  CellPlaces cell_places_;
  ElementSource source_;
  WindowLines lines_;
  bool cell_by_cell_;  // the values of a cell that are reduced first lie closer to each other than cells do
  NumberRows numbers_;
  std::uint64_t places_done_ = 0;

  // The line that is being read, and of it: the chunk of columns that is being read; of the chunk: the piece.
  std::int64_t line_ = 0, chunk_ = 0, chunk_end_ = 0, line_cells_ = 0;
  std::vector<AffineAxes> inner_pieces_, outer_pieces_;
  std::size_t piece_ = 0;
  std::uint64_t piece_columns_ = 0, piece_first_ = 0, piece_places_ = 0, place_ = 0;
  AffineAxes axes_;
  std::optional<ElementReader> reader_;

  ColumnTotals<float> float_columns_, float_cells_;
  ColumnTotals<double> double_columns_, double_cells_;
  // Of cells that are reduced in several stages: what the stages behind the first one have so far, and from how many values.
  struct OuterStage {
    ColumnTotals<double> cells;
    std::uint64_t values = 0;
  };
  std::vector<OuterStage> outer_;
  LineTotals totals_;
};

}  // namespace dlscope::core
