#include "core/reduce/sampled_texels.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/clock.h"
#include "core/reduce/column_totals.h"
#include "core/statistics/float_environment.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kRun = 8;  // values of a texel, where they lie side by side and come for the price of one

// SplitMix64: a number that looks like chance and depends on its argument only.
std::uint64_t scrambled(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15;
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
  i = (i ^ i >> 27) * 0x94d049bb133111eb;
  return i ^ i >> 31;
}

bool is_packed_line(const CellLine& line, unsigned value_bits) { return line.step() == static_cast<std::int64_t>(value_bits); }

}  // namespace

SampledTexels::SampledTexels(const TensorValues& values, const CellAxes& axes, const CellWindow& window)
    : cell_places_(values, axes),
      reader_(*values.source.reader),
      window_(window),
      runs_across_(is_packed_line(cell_places_.across, values.dtype.bits)),
      numbers_(values.dtype) {
  const CellLine& line = runs_across_ ? cell_places_.across : cell_places_.down;
  const bool side_by_side = values.dtype.bits % 8 == 0 && is_packed_line(line, values.dtype.bits);
  if (side_by_side) run_ = std::min(kRun, runs_across_ ? window.column_step : window.row_step);
}

void SampledTexels::advance(std::int64_t nanoseconds, Texels& out) {
  const DefaultFloatEnvironment environment;
  const std::int64_t ends = monotonic_ns() + nanoseconds;
  if (cell_places_.per_cell == 0) row_ = window_.texel_rows();
  while (!complete()) {
    read_row(out);
    ++row_;
    if (monotonic_ns() >= ends) return;
  }
}

// The values that are read of a texel in this row: a run of neighbours from a place anywhere in it.
void SampledTexels::choose(std::int64_t texel_column) {
  const std::int64_t row = window_.row + row_ * window_.row_step, column = window_.column + texel_column * window_.column_step;
  const std::int64_t rows = std::min(window_.row_step, window_.row + window_.rows - row);
  const std::int64_t columns = std::min(window_.column_step, window_.column + window_.columns - column);
  std::uint64_t chance = scrambled(static_cast<std::uint64_t>(row) * 0x100000001b3 + static_cast<std::uint64_t>(column));
  const auto pick = [&](std::int64_t from, std::int64_t count) {
    chance = scrambled(chance);
    return from + static_cast<std::int64_t>(chance % static_cast<std::uint64_t>(count));
  };
  const std::int64_t run = std::min(run_, runs_across_ ? columns : rows);
  const std::int64_t at_row = pick(row, runs_across_ ? rows : rows - run + 1);
  const std::int64_t at_column = pick(column, runs_across_ ? columns - run + 1 : columns);
  chance = scrambled(chance);
  const std::int64_t reduced = cell_places_.per_cell == 1 ? 0 : cell_places_.reduced.at(chance % cell_places_.per_cell);
  for (std::int64_t i = 0; i < run; ++i) {
    const std::int64_t bit = cell_places_.origin + reduced + cell_places_.down.bit(at_row + (runs_across_ ? 0 : i)) +
                             cell_places_.across.bit(at_column + (runs_across_ ? i : 0));
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
  elements_.read(reader_);
  const std::byte* raw = elements_.bytes.data();
  if (cell_places_.value_bits % 8 != 0) {  // packed: into bytes of their own
    const unsigned width = cell_places_.value_bits;
    unpacked_.resize(elements_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const auto bytes = elements_.of(i);
      const unsigned both = std::to_integer<unsigned>(bytes[0]) | std::to_integer<unsigned>(bytes[1]) << 8;
      unpacked_[i] = static_cast<std::byte>(both >> elements_.bits[i] & ((1U << width) - 1));
    }
    raw = unpacked_.data();
  }
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
  double least = 0, greatest = 0, sum = 0;
  std::uint64_t count = 0;
  std::uint8_t flags = 0;
  for (std::size_t i = first; i < end; ++i) {
    if (elements_.complete[i] == 0) {
      flags |= kTexelUnread;
      continue;
    }
    const double x = value(i);
    if (!std::isfinite(x)) {
      flags |= special_flag(x);
      continue;
    }
    least = count == 0 ? x : std::min(least, x);
    greatest = count == 0 ? x : std::max(greatest, x);
    sum += x;
    ++count;
  }
  if (count > 0) flags |= kTexelFinite;
  out.flags[texel] = flags;
  out.least[texel] = least;
  out.greatest[texel] = greatest;
  out.mean[texel] = count == 0 ? 0 : mean_of(sum, count, least, greatest);
}

}  // namespace dlscope::core
