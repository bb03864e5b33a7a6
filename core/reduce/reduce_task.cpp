#include "core/reduce/reduce_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/reduce/exact_texels.h"
#include "core/reduce/sampled_texels.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kAlwaysExact = std::uint64_t{1} << 18;  // values, whatever was asked
constexpr std::uint64_t kExactAtOnce = std::uint64_t{1}
                                       << 24;  // values: all of them line by line are read sooner than a sample of single ones

std::uint64_t values_in(const CellWindow& window, std::uint64_t per_cell) {
  std::uint64_t cells = 0, values = 0;
  const auto rows = static_cast<std::uint64_t>(window.rows), columns = static_cast<std::uint64_t>(window.columns);
  const bool fits = !__builtin_mul_overflow(rows, columns, &cells) && !__builtin_mul_overflow(cells, per_cell, &values);
  return fits ? values : ~std::uint64_t{0};
}

CellWindow without_repeats(const CellPlaces& places, const CellWindow& window) {
  return without_repeats(window, places.down.repeats(), places.across.repeats());
}

}  // namespace

CellWindow without_repeats(CellWindow window, bool down, bool across) {
  if (down && window.rows > 1) window.rows = window.row_step = 1;
  if (across && window.columns > 1) window.columns = window.column_step = 1;
  return window;
}

WindowValues count_values(const TensorValues& values, const CellAxes& axes, const CellWindow& window) {
  const auto channels = static_cast<std::uint64_t>(count_channels(values.layout, axes));
  const CellPlaces places(values, channel_axes(axes, 0));
  std::uint64_t per_cell = values.dtype.lanes * channels;  // no more than elements x lanes, which fit
  for (const ReducedAxis& reduced : axes.reduced) per_cell *= static_cast<std::uint64_t>(values.layout.shape[reduced.axis]);
  return {values_in(window, per_cell), values_in(without_repeats(places, window), places.per_cell * channels)};
}

Result<void> check_picture(LayoutView layout, const CellAxes& axes, const CellWindow& window) {
  const auto cells = count_cells(layout, axes);
  if (!cells) return std::unexpected(cells.error());
  if (const auto fits = check_window(*cells, window); !fits) return std::unexpected(fits.error());
  const std::int64_t rows = window.texel_rows(), columns = window.texel_columns();
  if (rows > kMaxTexelsOneWay || columns > kMaxTexelsOneWay || rows * columns > kMaxTexels)
    return fail(ErrorKind::invalid,
                fmt::format("a picture has at most {} texels, and {} one way", kMaxTexels, kMaxTexelsOneWay));
  return {};
}

Result<std::unique_ptr<ReduceTask>> ReduceTask::make(const TensorValues& given, const CellAxes& axes, const CellWindow& window,
                                                     std::uint64_t most_exact, std::shared_ptr<const void> owner,
                                                     std::shared_ptr<const MemoryReader> reader) {
  if (!has_statistics(given.dtype))
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} are not numbers", dtype_name(given.dtype)));
  if (const auto fits = check_picture(given.layout, axes, window); !fits) return std::unexpected(fits.error());
  const TensorValues values{given.dtype, given.layout, given.address, ElementSource::checked(*reader)};
  PicturePlan plan{.owner = std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const MemoryReader>>>(
                       std::move(owner), std::move(reader)),
                   .asked = window,
                   .read = window,
                   .most_exact = most_exact,
                   .planes = {}};
  if (window.rows == 0 || window.columns == 0) return std::make_unique<ReduceTask>(std::move(plan));
  const std::int64_t channels = count_channels(values.layout, axes);
  const CellPlaces places(values, channel_axes(axes, 0));
  plan.read = without_repeats(places, window);
  plan.places = values_in(plan.read, places.per_cell * static_cast<std::uint64_t>(channels));
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const CellAxes of = channel_axes(axes, channel);
    plan.planes.push_back({[values, of, read = plan.read] { return std::make_unique<SampledTexels>(values, of, read); },
                           [values, of, read = plan.read] { return std::make_unique<ExactTexels>(values, of, read); }});
  }
  return std::make_unique<ReduceTask>(std::move(plan));
}

ReduceTask::ReduceTask(PicturePlan plan) : plan_(std::move(plan)) {
  becomes_exact_ = plan_.places <= std::max(plan_.most_exact, kAlwaysExact);
  const TexelRect all{0, 0, static_cast<std::uint32_t>(plan_.read.texel_rows()),
                      static_cast<std::uint32_t>(plan_.read.texel_columns())};
  for (const PicturePlan::Plane& of : plan_.planes) {
    planes_.push_back(std::make_unique<Plane>());
    planes_.back()->texels.resize(all);
    if (becomes_exact_) planes_.back()->exact = of.exact();
  }
  if (!becomes_exact_ || plan_.places > kExactAtOnce) begin_samples();
}

void ReduceTask::begin_samples() {
  for (std::size_t i = 0; i < planes_.size(); ++i) planes_[i]->sample = plan_.planes[i].sample();
}

std::int64_t ReduceTask::sampled_rows() const {
  std::int64_t rows = plan_.read.texel_rows();
  for (const auto& plane : planes_) rows = std::min(rows, plane->sample->rows_done());
  return rows;
}

std::int64_t ReduceTask::exact_lines() const {
  std::int64_t lines = planes_.front()->exact->lines_done();
  for (const auto& plane : planes_) lines = std::min(lines, plane->exact->lines_done());
  return lines;
}

Result<Task::State> ReduceTask::step() {
  if (planes_.empty()) return State::done;
  return has_sample() && sampled_rows() < plan_.read.texel_rows() ? step_sample() : step_exact();
}

Result<Task::State> ReduceTask::step_sample() {
  Plane& plane = **std::ranges::min_element(planes_, {}, [](const auto& one) { return one->sample->rows_done(); });
  plane.sample->advance(kStepNs, plane.texels);
  if (sampled_rows() < plan_.read.texel_rows()) return State::more;
  if (failed_) return std::unexpected(*failed_);
  return becomes_exact_ ? State::more : State::done;
}

// The channel that is behind the others, so that what they share of a page is read soon after another.
Result<Task::State> ReduceTask::step_exact() {
  Plane& plane = **std::ranges::min_element(planes_, {}, [](const auto& one) { return one->exact->lines_done(); });
  const auto read = plane.exact->advance(kStepNs, plane.texels);
  if (read)
    return std::ranges::all_of(planes_, [](const auto& one) { return one->exact->complete(); }) ? State::done : State::more;
  if (has_sample()) return std::unexpected(read.error());
  // A sample shows at least which part of it cannot be read.
  failed_ = read.error();
  taking_exact_ = false;
  taken_ = 0;
  begin_samples();
  return State::more;
}

TaskProgress ReduceTask::progress() const {
  if (planes_.empty()) return {0, 0};
  if (becomes_exact_) {
    std::uint64_t done = 0;
    for (const auto& plane : planes_) done += plane->exact->complete() ? plane->exact->places() : plane->exact->places_done();
    return {done, plan_.places};
  }
  return {static_cast<std::uint64_t>(sampled_rows()), static_cast<std::uint64_t>(plan_.read.texel_rows())};
}

std::optional<Texels> ReduceTask::take(std::size_t most) {
  if (planes_.empty()) return std::nullopt;
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
  out.repeats_down = plan_.read.rows != plan_.asked.rows;
  out.repeats_across = plan_.read.columns != plan_.asked.columns;
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
