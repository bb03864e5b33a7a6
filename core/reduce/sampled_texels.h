// SampledTexels: the texels of a window from a few values of each, in milliseconds whatever the tensor's size: a first picture, said to
// be a sample. Which values are read looks like chance and depends on nothing but the cell, so that a picture does not flicker.
// thread: one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/elements/element_bytes.h"
#include "core/reduce/cell_places.h"
#include "core/reduce/number_rows.h"
#include "core/reduce/sampled_runs.h"
#include "core/reduce/texel_reading.h"
#include "core/reduce/window_lines.h"

namespace dlscope::core {

class SampledTexels final : public LineReading {
 public:
  // A window of the table (check_window) with at least one cell; `dtype` is known. values.source.reader outlives it, and is not null.
  SampledTexels(const TensorValues& values, const CellAxes& axes, const CellWindow& window);

  [[nodiscard]] std::int64_t line_count() const override { return lines_.count(); }
  [[nodiscard]] TexelRect lines(std::int64_t from, std::int64_t to) const override { return lines_.texels(from, to); }
  void begin(std::int64_t line) override { line_ = line; }
  [[nodiscard]] Result<bool> advance(std::int64_t ends, Texels& out) override;

 private:
  void choose();
  void read_line(Texels& out);
  void add_texel(const SampledRuns::Run& run, std::size_t texel, Texels& out) const;
  [[nodiscard]] double value(std::size_t number) const;

  CellPlaces cell_places_;
  ElementSource source_;
  CellWindow window_;
  WindowLines lines_;
  NumberRows numbers_;
  SampledRuns runs_;
  std::int64_t line_ = 0;
  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
};

}  // namespace dlscope::core
