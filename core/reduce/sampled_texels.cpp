#include "core/reduce/sampled_texels.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/float_environment.h"
#include "core/elements/reverse_bytes.h"
#include "core/reduce/column_totals.h"

namespace dlscope::core {
namespace {

bool is_packed_line(const CellLine& line, unsigned value_bits) { return line.step() == static_cast<std::int64_t>(value_bits); }

}  // namespace

SampledTexels::SampledTexels(const TensorValues& values, const CellAxes& axes, const CellWindow& window)
    : cell_places_(values, axes),
      source_(values.source),
      window_(window),
      runs_across_(is_packed_line(cell_places_.across, values.dtype.bits)),
      numbers_(values.dtype, values.signs) {
  const CellLine& line = runs_across_ ? cell_places_.across : cell_places_.down;
  const bool side_by_side = values.dtype.bits % 8 == 0 && is_packed_line(line, values.dtype.bits);
  if (side_by_side) run_ = std::min(kMaxSampledCells, runs_across_ ? window.column_step : window.row_step);
}

Result<bool> SampledTexels::advance(std::int64_t, Texels& out) {
  const DefaultFloatEnvironment environment;
  if (cell_places_.per_cell != 0) read_row(out);  // else nothing is known of any texel
  return true;
}

// The values that are read of a texel in this row.
void SampledTexels::choose(std::int64_t texel_column) {
  const SampledCells cells = sampled_cells(window_, row_, texel_column, run_, runs_across_);
  const std::int64_t reduced = cell_places_.per_cell == 1 ? 0 : cell_places_.reduced.at(cells.chance % cell_places_.per_cell);
  for (std::int64_t i = 0; i < cells.count; ++i) {
    const std::int64_t bit = cell_places_.origin + reduced + cell_places_.down.bit(cells.row + (runs_across_ ? 0 : i)) +
                             cell_places_.across.bit(cells.column + (runs_across_ ? i : 0));
    elements_.add(cell_places_.base, bit);
  }
}

void SampledTexels::read_row(Texels& out) {
  const std::int64_t texels = window_.texel_columns();
  elements_.restart(cell_places_.value_bits, static_cast<std::size_t>(texels * run_));
  ends_.clear();
  for (std::int64_t i = 0; i < texels; ++i) {
    choose(i);
    ends_.push_back(elements_.size());
  }
  elements_.read(*source_.reader);
  if (source_.reversed_bytes != 0) reverse_bytes(source_.reversed_bytes, elements_.bytes, elements_.bytes.data());
  const std::byte* const raw = whole_values(elements_, cell_places_.value_bits, unpacked_);
  floats_ = numbers_.fit_float() ? numbers_.floats(raw, elements_.size()) : nullptr;
  doubles_ = numbers_.fit_float() ? nullptr : numbers_.doubles(raw, elements_.size());
  const std::size_t first_texel = static_cast<std::size_t>(row_) * static_cast<std::size_t>(texels);
  std::size_t first = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    add_texel(first, ends_[i], first_texel + i, out);
    first = ends_[i];
  }
}

double SampledTexels::value(std::size_t element) {
  return floats_ != nullptr ? static_cast<double>(floats_[element]) : doubles_[element];
}

void SampledTexels::add_texel(std::size_t first, std::size_t end, std::size_t texel, Texels& out) {
  TexelTotals totals;
  for (std::size_t i = first; i < end; ++i) {
    if (elements_.complete[i] == 0)
      totals.flags |= kTexelUnread;
    else
      totals.add(value(i));
  }
  totals.write(out, texel);
}

}  // namespace dlscope::core
