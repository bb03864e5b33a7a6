#include "core/reduce/exact_texels.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/clock.h"
#include "core/base/float_environment.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kChunkColumns = 8192;                   // their totals stay in the second-level cache
constexpr std::uint64_t kReadValues = std::uint64_t{1} << 15;  // at once

}  // namespace

ExactTexels::ExactTexels(const TensorValues& values, const CellAxes& axes, const CellWindow& window)
    : cell_places_(values, axes),
      source_(values.source),
      lines_(window, lies_along_rows(cell_places_)),
      numbers_(values.dtype, values.signs) {
  const auto& stages = cell_places_.stages;
  cell_by_cell_ = !stages.empty() &&
                  static_cast<std::uint64_t>(std::abs(stages.front().places.axes.front().step)) < distance_between(inner_cells());
  if (stages.size() > 1) outer_.resize(stages.size() - 1);
}

void ExactTexels::begin(std::int64_t line) {
  line_ = line;
  if (cell_places_.per_cell == 0) return;
  const auto texels = static_cast<std::size_t>(lines_.inner.texels());
  totals_.min.assign(texels, std::numeric_limits<double>::infinity());
  totals_.max.assign(texels, -std::numeric_limits<double>::infinity());
  totals_.sum.assign(texels, 0);
  totals_.count.assign(texels, 0);
  totals_.flags.assign(texels, 0);
  const std::int64_t from = lines_.outer.from + line_ * lines_.outer.step;
  const std::int64_t to = std::min(from + lines_.outer.step, lines_.outer.from + lines_.outer.count);
  line_cells_ = to - from;
  outer_pieces_ = outer_cells().pieces(from, to);
  chunk_ = lines_.inner.from;
  begin_chunk();
}

void ExactTexels::begin_chunk() {
  chunk_end_ = std::min(chunk_ + kChunkColumns, lines_.inner.from + lines_.inner.count);
  inner_pieces_ = inner_cells().pieces(chunk_, chunk_end_);
  const auto columns = static_cast<std::size_t>(chunk_end_ - chunk_);
  const bool reduces = cell_places_.per_cell != 1;
  if (numbers_.fit_float() && !reduces)
    float_columns_.restart(columns);
  else
    double_columns_.restart(columns);
  piece_ = 0;
  piece_first_ = 0;
  begin_piece();
}

void ExactTexels::begin_piece() {
  const AffineAxes& inner = inner_pieces_[piece_ / outer_pieces_.size()];
  const AffineAxes& outer = outer_pieces_[piece_ % outer_pieces_.size()];
  axes_ = {.origin = cell_places_.origin, .axes = {}};
  const auto& stages = cell_places_.stages;
  if (cell_by_cell_) append_axes(stages.front().places, axes_);
  append_axes(inner, axes_);
  for (std::size_t i = cell_by_cell_ ? 1 : 0; i < stages.size(); ++i) append_axes(stages[i].places, axes_);
  append_axes(outer, axes_);
  piece_columns_ = inner.places();
  piece_places_ = piece_columns_ * outer.places() * cell_places_.per_cell;
  place_ = 0;
  if (cell_places_.per_cell > 1) {
    const auto columns = static_cast<std::size_t>(piece_columns_);
    if (numbers_.fit_float())
      float_cells_.restart(columns);
    else
      double_cells_.restart(columns);
    for (OuterStage& stage : outer_) {
      stage.cells.restart(columns);
      stage.values = 0;
    }
  }
  if (!reader_)
    reader_.emplace(cell_places_.base, axes_, cell_places_.value_bits, source_, kReadValues);
  else
    reader_->retarget(cell_places_.base, axes_);
}

bool ExactTexels::next_piece() {
  if (++piece_ == inner_pieces_.size() * outer_pieces_.size()) return false;
  if (piece_ % outer_pieces_.size() == 0) piece_first_ += piece_columns_;
  begin_piece();
  return true;
}

Result<bool> ExactTexels::advance(std::int64_t ends, Texels& out) {
  const DefaultFloatEnvironment environment;
  if (cell_places_.per_cell == 0) return true;  // nothing is known of any texel
  do {
    const auto window = reader_->read(place_, piece_places_, 1);
    if (!window) return std::unexpected(window.error());
    take(window->data, window->count);
    places_done_ += window->count;
    if (place_ == piece_places_ && !next_piece()) {
      end_chunk();
      if (chunk_end_ < lines_.inner.from + lines_.inner.count) {
        chunk_ = chunk_end_;
        begin_chunk();
      } else {
        end_line(out);
        return true;
      }
    }
  } while (monotonic_ns() < ends);
  return false;
}

void ExactTexels::take(const std::byte* raw, std::uint64_t count) {
  if (numbers_.fit_float())
    take_values(numbers_.floats(raw, count), count, float_columns_, float_cells_);
  else
    take_values(numbers_.doubles(raw, count), count, double_columns_, double_cells_);
}

template <class T>
void ExactTexels::take_values(const T* values, std::uint64_t count, ColumnTotals<T>& direct, ColumnTotals<T>& cells) {
  const std::uint64_t per_cell = cell_places_.stages.empty() ? 1 : cell_places_.stages.front().count;
  const std::uint64_t row = piece_columns_ * per_cell;
  while (count > 0) {
    std::uint64_t run = 0;
    if (cell_by_cell_) {
      run = std::min(per_cell - place_ % per_cell, count);
      cells.add_run(values, run, place_ / per_cell % piece_columns_);
    } else {
      const std::uint64_t column = place_ % piece_columns_;
      run = std::min(piece_columns_ - column, count);
      if (per_cell == 1)
        direct.add_row(values, run, piece_first_ + column);
      else
        cells.add_row(values, run, column);
    }
    place_ += run;
    values += run;
    count -= run;
    if (per_cell > 1 && place_ % row == 0) end_stage(0, cells);
  }
}

// The cells of one row across the line have all values of a stage: they become one value for the next stage, or for the column.
template <class T>
void ExactTexels::end_stage(std::size_t number, ColumnTotals<T>& cells) {
  const CellStage& stage = cell_places_.stages[number];
  const bool is_last = number + 1 == cell_places_.stages.size();
  ColumnTotals<double>& to = is_last ? double_columns_ : outer_[number].cells;
  for (std::size_t i = 0; i < piece_columns_; ++i) {
    const std::size_t column = (is_last ? piece_first_ : 0) + i;
    const std::uint64_t finite = stage.count - cells.left_out[i];
    to.flags[column] |= cells.flags[i];
    if (finite == 0) {
      ++to.left_out[column];
      continue;
    }
    const auto min = static_cast<double>(cells.min[i]), max = static_cast<double>(cells.max[i]);
    const double value = stage.value == CellValue::min      ? min
                         : stage.value == CellValue::max ? max
                                                              : mean_of(cells.sum[i], finite, min, max);
    to.add_value(value, column);
  }
  cells.restart(static_cast<std::size_t>(piece_columns_));
  if (is_last || ++outer_[number].values < cell_places_.stages[number + 1].count) return;
  outer_[number].values = 0;
  end_stage(number + 1, outer_[number].cells);
}

void ExactTexels::end_chunk() {
  if (numbers_.fit_float() && cell_places_.per_cell == 1)
    fold(float_columns_);
  else
    fold(double_columns_);
}

template <class T>
void ExactTexels::fold(const ColumnTotals<T>& columns) {
  const auto step = static_cast<std::uint64_t>(lines_.inner.step);
  auto texel = static_cast<std::uint64_t>(chunk_ - lines_.inner.from) / step;
  std::uint64_t left = step - static_cast<std::uint64_t>(chunk_ - lines_.inner.from) % step;
  const auto rows = static_cast<std::uint64_t>(line_cells_);
  for (std::size_t i = 0; i < columns.sum.size(); ++i) {
    totals_.min[texel] = std::min(totals_.min[texel], static_cast<double>(columns.min[i]));
    totals_.max[texel] = std::max(totals_.max[texel], static_cast<double>(columns.max[i]));
    totals_.sum[texel] += columns.sum[i];
    totals_.count[texel] += rows - columns.left_out[i];
    totals_.flags[texel] |= columns.flags[i];
    if (--left == 0) {
      left = step;
      ++texel;
    }
  }
}

void ExactTexels::end_line(Texels& out) {
  for (std::size_t i = 0; i < totals_.sum.size(); ++i) {
    const std::size_t to = lines_.index_of(static_cast<std::size_t>(line_), i, out.rect.columns);
    out.flags[to] = totals_.flags[i];
    out.min[to] = out.max[to] = out.mean[to] = 0;
    if (totals_.count[i] == 0) continue;
    out.flags[to] |= kTexelFinite;
    out.min[to] = totals_.min[i];
    out.max[to] = totals_.max[i];
    out.mean[to] = mean_of(totals_.sum[i], totals_.count[i], totals_.min[i], totals_.max[i]);
  }
}

}  // namespace dlscope::core
