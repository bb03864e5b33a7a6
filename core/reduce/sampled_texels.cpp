#include "core/reduce/sampled_texels.h"

#include "core/base/float_environment.h"
#include "core/elements/reverse_bytes.h"

namespace dlscope::core {

SampledTexels::SampledTexels(const TensorValues& values, const CellAxes& axes, const CellWindow& window)
    : cell_places_(values, axes),
      source_(values.source),
      window_(window),
      lines_(window, lies_along_rows(cell_places_)),
      numbers_(values.dtype, values.signs),
      runs_(cell_places_, lines_) {}

Result<bool> SampledTexels::advance(std::int64_t, Texels& out) {
  const DefaultFloatEnvironment environment;
  if (cell_places_.per_cell != 0) read_line(out);  // else nothing is known of any texel
  return true;
}

// The values that are read of each texel of this line.
void SampledTexels::choose() {
  const std::int64_t texels = lines_.inner.texels();
  const CellLine& outer = lines_.along_rows ? cell_places_.down : cell_places_.across;
  runs_.restart(static_cast<std::size_t>(texels));
  std::int64_t at = -1, bit = 0;
  std::uint64_t chance = 0;
  for (std::int64_t i = 0; i < texels; ++i) {
    const SampledCells cells = sampled_cells(window_, lines_.along_rows ? line_ : i, lines_.along_rows ? i : line_,
                                             runs_.longest(), lines_.along_rows, runs_.together());
    const std::int64_t line = lines_.along_rows ? cells.row : cells.column;
    if (line != at || cells.chance != chance) {
      const std::int64_t reduced = cell_places_.per_cell == 1 ? 0 : cell_places_.reduced.at(cells.chance % cell_places_.per_cell);
      bit = cell_places_.origin + reduced + outer.bit(line);
      at = line;
      chance = cells.chance;
    }
    runs_.add(bit, i, lines_.along_rows ? cells.column : cells.row, cells.count);
  }
}

void SampledTexels::read_line(Texels& out) {
  choose();
  runs_.read(*source_.reader);
  if (source_.reversed_bytes != 0) reverse_bytes(source_.reversed_bytes, runs_.bytes(), runs_.bytes().data());
  const std::byte* const raw = runs_.bytes().data();
  floats_ = numbers_.fit_float() ? numbers_.floats(raw, runs_.values()) : nullptr;
  doubles_ = numbers_.fit_float() ? nullptr : numbers_.doubles(raw, runs_.values());
  const auto columns = static_cast<std::size_t>(window_.texel_columns());
  for (std::size_t i = 0; i < runs_.all().size(); ++i)
    add_texel(runs_.all()[i], lines_.index_of(static_cast<std::size_t>(line_), i, columns), out);
}

double SampledTexels::value(std::size_t number) const {
  return floats_ != nullptr ? static_cast<double>(floats_[number]) : doubles_[number];
}

void SampledTexels::add_texel(const SampledRuns::Run& run, std::size_t texel, Texels& out) const {
  TexelTotals totals;
  for (std::size_t i = run.value; i < run.value + static_cast<std::size_t>(run.count); ++i) {
    if (runs_.complete(i))
      totals.add(value(i));
    else
      totals.flags |= kTexelUnread;
  }
  totals.write(out, texel);
}

}  // namespace dlscope::core
