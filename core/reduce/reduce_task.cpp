#include "core/reduce/reduce_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/reduce/exact_texels.h"
#include "core/reduce/sampled_texels.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kAlwaysExact = std::uint64_t{1} << 18;  // values, whatever was asked
// Values: up to so many are read line by line sooner than a sample of single ones; before more, a sample is shown.
constexpr std::uint64_t kExactWithoutSample = std::uint64_t{1} << 24;
// Of work that several threads can do, as much as is worth handing out: values of an exact picture, texels of a sample.
constexpr std::uint64_t kPlacesAShare = std::uint64_t{1} << 18, kTexelsAShare = 4096;

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
                                                     std::shared_ptr<const MemoryReader> reader, unsigned threads) {
  if (!has_statistics(given.dtype))
    return fail(ErrorKind::unsupported, fmt::format("values of dtype {} are not numbers", dtype_name(given.dtype)));
  if (const auto fits = check_picture(given.layout, axes, window); !fits) return std::unexpected(fits.error());
  const TensorValues values{given.dtype, given.layout, given.address, given.source.read_by(*reader), given.signs};
  PicturePlan plan{.owner = std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const MemoryReader>>>(
                       std::move(owner), std::move(reader)),
                   .asked = window,
                   .read = window,
                   .most_exact = most_exact,
                   .samples = {},
                   .exact = {}};
  if (window.rows == 0 || window.columns == 0) return std::make_unique<ReduceTask>(std::move(plan), threads);
  const std::int64_t channels = count_channels(values.layout, axes);
  const CellPlaces places(values, channel_axes(axes, 0));
  plan.read = without_repeats(places, window);
  plan.places = values_in(plan.read, places.per_cell * static_cast<std::uint64_t>(channels));
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const CellAxes of = channel_axes(axes, channel);
    plan.samples.emplace_back([values, of, read = plan.read] { return std::make_unique<SampledTexels>(values, of, read); });
    plan.exact.emplace_back([values, of, read = plan.read] { return std::make_unique<ExactTexels>(values, of, read); });
  }
  return std::make_unique<ReduceTask>(std::move(plan), threads);
}

ReduceTask::ReduceTask(PicturePlan plan, unsigned threads) : plan_(std::move(plan)), threads_(threads) {
  if (plan_.exact.empty()) return;
  becomes_exact_ = plan_.places <= std::max(plan_.most_exact, kAlwaysExact);
  texels_.resize(plan_.exact.size());
  for (Texels& texels : texels_)
    texels.resize({0, 0, static_cast<std::uint32_t>(plan_.read.texel_rows()), static_cast<std::uint32_t>(plan_.read.texel_columns())});
  if (becomes_exact_) exact_.emplace(plan_.exact, plan_.places / kPlacesAShare);
  if (!becomes_exact_ || plan_.places > kExactWithoutSample) begin_samples();
}

void ReduceTask::begin_samples() { sample_.emplace(plan_.samples, texels_.front().size() * texels_.size() / kTexelsAShare); }

Result<Task::State> ReduceTask::step() {
  if (texels_.empty()) return State::done;
  return sample_ && !sample_->complete() ? step_sample() : step_exact();
}

Result<Task::State> ReduceTask::step_sample() {
  if (auto sampled = sample_->advance(threads_, kStepNs, texels_); !sampled) return std::unexpected(sampled.error());
  if (!sample_->complete()) return State::more;
  if (failed_) return std::unexpected(*failed_);
  return becomes_exact_ ? State::more : State::done;
}

Result<Task::State> ReduceTask::step_exact() {
  const auto read = exact_->advance(threads_, kStepNs, texels_);
  if (read) return exact_->complete() ? State::done : State::more;
  if (sample_) return std::unexpected(read.error());
  // A sample shows at least which part of it cannot be read.
  failed_ = read.error();
  taking_exact_ = false;
  taken_ = 0;
  begin_samples();
  return State::more;
}

TaskProgress ReduceTask::progress() const {
  if (texels_.empty()) return {0, 0};
  if (becomes_exact_) return {exact_->places_done(), plan_.places};
  return {static_cast<std::uint64_t>(sample_->lines_done()), static_cast<std::uint64_t>(sample_->lines())};
}

std::optional<Texels> ReduceTask::take(std::size_t most) {
  if (texels_.empty()) return std::nullopt;
  const std::int64_t done = becomes_exact_ && !failed_ ? exact_->lines_done() : 0;
  if (!taking_exact_ && done > 0) {
    taking_exact_ = true;
    taken_ = 0;
  }
  const std::int64_t ready = taking_exact_ ? done : sample_ ? sample_->lines_done() : 0;
  if (ready == taken_) return std::nullopt;
  const LinePass& pass = taking_exact_ ? *exact_ : *sample_;
  const std::size_t each = std::max<std::size_t>(pass.rect_of(0, 1).size() * texels_.size(), 1);
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(most / each, 1));
  const std::int64_t to = std::min(ready, taken_ + count);
  return cut(pass.rect_of(std::exchange(taken_, to), to), taking_exact_ ? TexelMethod::exact : TexelMethod::sample);
}

Texels ReduceTask::cut(const TexelRect& rect, TexelMethod method) const {
  Texels out;
  out.resize(rect, static_cast<std::uint32_t>(texels_.size()));
  out.method = method;
  out.repeats_down = plan_.read.rows != plan_.asked.rows;
  out.repeats_across = plan_.read.columns != plan_.asked.columns;
  std::size_t i = 0;
  for (const Texels& texels : texels_) {
    for (std::uint32_t row = rect.row; row < rect.row + rect.rows; ++row) {
      for (std::uint32_t column = rect.column; column < rect.column + rect.columns; ++column, ++i) {
        const std::size_t from = std::size_t{row} * texels.rect.columns + column;
        out.min[i] = texels.min[from];
        out.max[i] = texels.max[from];
        out.mean[i] = texels.mean[from];
        out.flags[i] = texels.flags[from];
      }
    }
  }
  return out;
}

}  // namespace dlscope::core
