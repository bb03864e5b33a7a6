#include "core/statistics/survey_task.h"

#include <algorithm>
#include <utility>

#include "core/base/clock.h"

namespace dlscope::core {
namespace {

std::uint64_t bytes_of(const MemoryOrder& order) { return order.places() * order.value_bits() / 8; }

std::uint64_t bytes_of(const TensorValues& values) { return bytes_of(MemoryOrder(values.layout, values.dtype, values.address)); }

}  // namespace

SurveyTask::SurveyTask(std::vector<SurveyItem> items, std::shared_ptr<const void> owner,
                       std::shared_ptr<const MemoryReader> reader, unsigned threads)
    : items_(std::move(items)), owner_(std::move(owner)), reader_(std::move(reader)), threads_(threads) {
  for (SurveyItem& item : items_) {
    item.values.source = item.values.source.read_by(*reader_);
    if (__builtin_add_overflow(bytes_, bytes_of(item.values), &bytes_)) bytes_ = ~std::uint64_t{0};
  }
}

Result<Task::State> SurveyTask::step() {
  if (items_.empty()) return State::done;
  const std::int64_t ends = monotonic_ns() + kStepNs;
  do {  // at least one of them, however busy the machine is
    if (!current_) begin_next();
    if (!current_) continue;
    ExactPass& pass = *current_->pass;
    if (!pass.advance(threads_, std::max<std::int64_t>(0, ends - monotonic_ns()))) {
      end_current({});
    } else if (pass.complete()) {
      end_current(pass.finish().summary);
    }
  } while (next_ < items_.size() && monotonic_ns() < ends);
  return next_ < items_.size() ? State::more : State::done;
}

void SurveyTask::begin_next() {
  const TensorValues& values = items_[next_].values;
  auto current = std::make_unique<Current>(Current{MemoryOrder(values.layout, values.dtype, values.address), std::nullopt});
  auto pass = ExactPass::begin(values, current->order, false);
  current_ = std::move(current);
  if (!pass) return end_current({});
  current_->pass.emplace(std::move(*pass));
}

void SurveyTask::end_current(ValueSummary summary) {
  surveyed_.push_back({items_[next_].tensor, summary});
  bytes_done_ = std::min(bytes_, bytes_done_ + bytes_of(current_->order));
  current_.reset();
  ++next_;
}

TaskProgress SurveyTask::progress() const {
  std::uint64_t done = bytes_done_;
  if (current_ && current_->pass) done += current_->pass->places_done() * current_->order.value_bits() / 8;
  return {std::min(done, bytes_), bytes_};
}

std::vector<StatisticsRecord> SurveyTask::take(std::size_t most) {
  const std::size_t count = std::min(most, surveyed_.size() - taken_);
  const auto from = surveyed_.begin() + static_cast<std::ptrdiff_t>(taken_);
  std::vector<StatisticsRecord> out(from, from + static_cast<std::ptrdiff_t>(count));
  taken_ += count;
  return out;
}

}  // namespace dlscope::core
