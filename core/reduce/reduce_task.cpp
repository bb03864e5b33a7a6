#include "core/reduce/reduce_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dlscope::core {
namespace {

constexpr std::uint64_t kAlwaysExact = std::uint64_t{1} << 18;  // values, whatever was asked
constexpr std::uint64_t kExactAtOnce = std::uint64_t{1} << 24;  // values: all of them line by line are read sooner than a sample of single ones

// The part of the table that is read for `window`.
CellWindow without_repeats(const CellPlaces& places, CellWindow window) {
  if (places.down.repeats() && window.rows > 1) window.rows = window.row_step = 1;
  if (places.across.repeats() && window.columns > 1) window.columns = window.column_step = 1;
  return window;
}

std::uint64_t values_in(const CellWindow& window, std::uint64_t per_cell) {
  std::uint64_t cells = 0, values = 0;
  const auto rows = static_cast<std::uint64_t>(window.rows), columns = static_cast<std::uint64_t>(window.columns);
  const bool fits = !__builtin_mul_overflow(rows, columns, &cells) && !__builtin_mul_overflow(cells, per_cell, &values);
  return fits ? values : ~std::uint64_t{0};
}

}  // namespace

WindowValues count_values(const TensorValues& values, const CellAxes& axes, const CellWindow& window) {
  const CellPlaces places(values, axes);
  std::uint64_t per_cell = values.dtype.lanes;  // no more than elements x lanes, which fit
  for (const std::uint8_t axis : axes.reduced) per_cell *= static_cast<std::uint64_t>(values.layout.shape[axis]);
  return {values_in(window, per_cell), values_in(without_repeats(places, window), places.per_cell)};
}

Result<std::unique_ptr<ReduceTask>> ReduceTask::make(const TensorValues& values, const CellAxes& axes, const CellWindow& window,
                                                     std::uint64_t most_exact, std::shared_ptr<const void> owner,
                                                     std::shared_ptr<const MemoryReader> reader) {
  if (!has_statistics(values.dtype))
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} are no numbers", dtype_name(values.dtype)));
  const auto cells = count_cells(values.layout, axes);
  if (!cells) return std::unexpected(cells.error());
  if (const auto fits = check_window(*cells, window); !fits) return std::unexpected(fits.error());
  const std::int64_t rows = window.texel_rows(), columns = window.texel_columns();
  if (rows > kMostTexelsOneWay || columns > kMostTexelsOneWay || rows * columns > kMostTexels)
    return fail(ErrorKind::invalid,
                fmt::format("a picture has at most {} texels, and {} one way", kMostTexels, kMostTexelsOneWay));
  return std::unique_ptr<ReduceTask>(new ReduceTask(values, axes, window, most_exact, std::move(owner), std::move(reader)));
}

ReduceTask::ReduceTask(const TensorValues& given, const CellAxes& axes, const CellWindow& window, std::uint64_t most_exact,
                       std::shared_ptr<const void> owner, std::shared_ptr<const MemoryReader> reader)
    : owner_(std::move(owner)),
      reader_(std::move(reader)),
      values_{given.dtype, given.layout, given.address, ElementSource::checked(*reader_)},
      axes_(axes),
      asked_(window),
      read_(window) {
  is_empty_ = window.rows == 0 || window.columns == 0;
  if (is_empty_) return;
  const CellPlaces places(values_, axes_);
  read_ = without_repeats(places, window);
  places_ = values_in(read_, places.per_cell);
  becomes_exact_ = places_ <= std::max(most_exact, kAlwaysExact);
  if (!becomes_exact_ || places_ > kExactAtOnce) sample_.emplace(values_, axes_, read_);
  if (becomes_exact_) exact_.emplace(values_, axes_, read_);
  texels_.resize({0, 0, static_cast<std::uint32_t>(read_.texel_rows()), static_cast<std::uint32_t>(read_.texel_columns())});
}

Result<Task::State> ReduceTask::step() {
  if (is_empty_) return State::done;
  if (sample_ && !sample_->complete()) {
    sample_->advance(kStepNs, texels_);
    if (sample_->complete() && failed_) return std::unexpected(*failed_);
    return sample_->complete() && !becomes_exact_ ? State::done : State::more;
  }
  const auto read = exact_->advance(kStepNs, texels_);
  if (read) return exact_->complete() ? State::done : State::more;
  if (sample_) return std::unexpected(read.error());
  // A sample shows at least which part of it cannot be read.
  failed_ = read.error();
  taking_exact_ = false;
  taken_ = 0;
  sample_.emplace(values_, axes_, read_);
  return State::more;
}

TaskProgress ReduceTask::progress() const {
  if (becomes_exact_) return {exact_->complete() ? places_ : exact_->places_done(), places_};
  if (!sample_) return {0, 0};
  return {static_cast<std::uint64_t>(sample_->rows_done()), static_cast<std::uint64_t>(read_.texel_rows())};
}

std::optional<Texels> ReduceTask::take(std::size_t most) {
  if (is_empty_) return std::nullopt;
  const std::int64_t done = exact_ && !failed_ ? exact_->lines_done() : 0;
  if (!taking_exact_ && done > 0) {
    taking_exact_ = true;
    taken_ = 0;
  }
  const std::int64_t ready = taking_exact_ ? done : sample_ ? sample_->rows_done() : 0;
  if (ready == taken_) return std::nullopt;
  const auto lines = [&](std::int64_t from, std::int64_t to) {
    if (taking_exact_) return exact_->lines(from, to);
    return TexelRect{static_cast<std::uint32_t>(from), 0, static_cast<std::uint32_t>(to - from), texels_.rect.columns};
  };
  const std::size_t each = std::max<std::size_t>(lines(0, 1).size(), 1);
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(most / each, 1));
  const std::int64_t to = std::min(ready, taken_ + count);
  return cut(lines(std::exchange(taken_, to), to), taking_exact_ ? TexelMethod::exact : TexelMethod::sample);
}

Texels ReduceTask::cut(const TexelRect& rect, TexelMethod method) const {
  Texels out;
  out.resize(rect);
  out.method = method;
  out.repeats_down = read_.rows != asked_.rows;
  out.repeats_across = read_.columns != asked_.columns;
  std::size_t i = 0;
  for (std::uint32_t row = rect.row; row < rect.row + rect.rows; ++row) {
    for (std::uint32_t column = rect.column; column < rect.column + rect.columns; ++column, ++i) {
      const std::size_t from = std::size_t{row} * texels_.rect.columns + column;
      out.least[i] = texels_.least[from];
      out.greatest[i] = texels_.greatest[from];
      out.mean[i] = texels_.mean[from];
      out.flags[i] = texels_.flags[from];
    }
  }
  return out;
}

}  // namespace dlscope::core
