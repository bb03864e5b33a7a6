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
  const auto channels = static_cast<std::uint64_t>(count_channels(values.layout, axes));
  const CellPlaces places(values, channel_axes(axes, 0));
  std::uint64_t per_cell = values.dtype.lanes * channels;  // no more than elements x lanes, which fit
  for (const ReducedAxis& reduced : axes.reduced) per_cell *= static_cast<std::uint64_t>(values.layout.shape[reduced.axis]);
  return {values_in(window, per_cell), values_in(without_repeats(places, window), places.per_cell * channels)};
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
      asked_(window),
      read_(window) {
  is_empty_ = window.rows == 0 || window.columns == 0;
  if (is_empty_) return;
  const std::int64_t channels = count_channels(values_.layout, axes);
  const CellPlaces places(values_, channel_axes(axes, 0));
  read_ = without_repeats(places, window);
  places_ = values_in(read_, places.per_cell * static_cast<std::uint64_t>(channels));
  becomes_exact_ = places_ <= std::max(most_exact, kAlwaysExact);
  const TexelRect all{0, 0, static_cast<std::uint32_t>(read_.texel_rows()), static_cast<std::uint32_t>(read_.texel_columns())};
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    planes_.push_back(std::make_unique<Plane>());
    Plane& plane = *planes_.back();
    plane.axes = channel_axes(axes, channel);
    plane.texels.resize(all);
    if (becomes_exact_) plane.exact.emplace(values_, plane.axes, read_);
  }
  if (!becomes_exact_ || places_ > kExactAtOnce) begin_samples();
}

void ReduceTask::begin_samples() {
  for (const auto& plane : planes_) plane->sample.emplace(values_, plane->axes, read_);
}

std::int64_t ReduceTask::sampled_rows() const {
  std::int64_t rows = read_.texel_rows();
  for (const auto& plane : planes_) rows = std::min(rows, plane->sample->rows_done());
  return rows;
}

std::int64_t ReduceTask::exact_lines() const {
  std::int64_t lines = planes_.front()->exact->lines_done();
  for (const auto& plane : planes_) lines = std::min(lines, plane->exact->lines_done());
  return lines;
}

Result<Task::State> ReduceTask::step() {
  if (is_empty_) return State::done;
  return has_sample() && sampled_rows() < read_.texel_rows() ? step_sample() : step_exact();
}

Result<Task::State> ReduceTask::step_sample() {
  Plane& plane = **std::ranges::min_element(planes_, {}, [](const auto& one) { return one->sample->rows_done(); });
  plane.sample->advance(kStepNs, plane.texels);
  if (sampled_rows() < read_.texel_rows()) return State::more;
  if (failed_) return std::unexpected(*failed_);
  return becomes_exact_ ? State::more : State::done;
}

// The channel that is behind the others, so that what they share of a page is read soon after another.
Result<Task::State> ReduceTask::step_exact() {
  Plane& plane = **std::ranges::min_element(planes_, {}, [](const auto& one) { return one->exact->lines_done(); });
  const auto read = plane.exact->advance(kStepNs, plane.texels);
  if (read) return std::ranges::all_of(planes_, [](const auto& one) { return one->exact->complete(); }) ? State::done : State::more;
  if (has_sample()) return std::unexpected(read.error());
  // A sample shows at least which part of it cannot be read.
  failed_ = read.error();
  taking_exact_ = false;
  taken_ = 0;
  begin_samples();
  return State::more;
}

TaskProgress ReduceTask::progress() const {
  if (is_empty_) return {0, 0};
  if (becomes_exact_) {
    std::uint64_t done = 0;
    for (const auto& plane : planes_) done += plane->exact->complete() ? plane->exact->places() : plane->exact->places_done();
    return {done, places_};
  }
  return {static_cast<std::uint64_t>(sampled_rows()), static_cast<std::uint64_t>(read_.texel_rows())};
}

std::optional<Texels> ReduceTask::take(std::size_t most) {
  if (is_empty_) return std::nullopt;
  const std::int64_t done = becomes_exact_ && !failed_ ? exact_lines() : 0;
  if (!taking_exact_ && done > 0) {
    taking_exact_ = true;
    taken_ = 0;
  }
  const std::int64_t ready = taking_exact_ ? done : has_sample() ? sampled_rows() : 0;
  if (ready == taken_) return std::nullopt;
  const auto lines = [&](std::int64_t from, std::int64_t to) {
    if (taking_exact_) return planes_.front()->exact->lines(from, to);
    const std::uint32_t columns = planes_.front()->texels.rect.columns;
    return TexelRect{static_cast<std::uint32_t>(from), 0, static_cast<std::uint32_t>(to - from), columns};
  };
  const std::size_t each = std::max<std::size_t>(lines(0, 1).size() * planes_.size(), 1);
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(most / each, 1));
  const std::int64_t to = std::min(ready, taken_ + count);
  return cut(lines(std::exchange(taken_, to), to), taking_exact_ ? TexelMethod::exact : TexelMethod::sample);
}

Texels ReduceTask::cut(const TexelRect& rect, TexelMethod method) const {
  Texels out;
  out.resize(rect, static_cast<std::uint32_t>(planes_.size()));
  out.method = method;
  out.repeats_down = read_.rows != asked_.rows;
  out.repeats_across = read_.columns != asked_.columns;
  std::size_t i = 0;
  for (const auto& plane : planes_) {
    const Texels& texels = plane->texels;
    for (std::uint32_t row = rect.row; row < rect.row + rect.rows; ++row) {
      for (std::uint32_t column = rect.column; column < rect.column + rect.columns; ++column, ++i) {
        const std::size_t from = std::size_t{row} * texels.rect.columns + column;
        out.least[i] = texels.least[from];
        out.greatest[i] = texels.greatest[from];
        out.mean[i] = texels.mean[from];
        out.flags[i] = texels.flags[from];
      }
    }
  }
  return out;
}

}  // namespace dlscope::core
