// SampledTexels: the texels of a window from a few values of each, in milliseconds whatever the tensor's size: a first picture, said to
// be a sample. Which values are read looks like chance and depends on nothing but the cell, so that a picture does not flicker.
// thread: one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/elements/element_bytes.h"
#include "core/reduce/cell_places.h"
#include "core/reduce/number_rows.h"
#include "core/reduce/texel_reading.h"

namespace dlscope::core {

class SampledTexels final : public LineReading {
 public:
  // A window of the table (check_window) with at least one cell; `dtype` is known. values.source.reader outlives it, and is not null.
  SampledTexels(const TensorValues& values, const CellAxes& axes, const CellWindow& window);

  [[nodiscard]] std::int64_t line_count() const override { return window_.texel_rows(); }
  [[nodiscard]] TexelRect lines(std::int64_t from, std::int64_t to) const override { return rows_of(window_, from, to); }
  void begin(std::int64_t line) override { row_ = line; }
  [[nodiscard]] Result<bool> advance(std::int64_t ends, Texels& out) override;

 private:
  void read_row(Texels& out);
  void choose(std::int64_t texel_column);
  void add_texel(std::size_t first, std::size_t end, std::size_t texel, Texels& out);
  [[nodiscard]] double value(std::size_t element);

  CellPlaces cell_places_;
  ElementSource source_;
  CellWindow window_;
  bool runs_across_;  // the values read of a texel are neighbours in a row, else in a column
  std::int64_t run_ = 1;
  NumberRows numbers_;
  std::int64_t row_ = 0;
  ElementBytes elements_;
  std::vector<std::size_t> ends_;  // of each texel's values in elements_
  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  std::vector<std::byte> unpacked_;
};

}  // namespace dlscope::core
