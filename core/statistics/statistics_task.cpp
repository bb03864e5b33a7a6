#include "core/statistics/statistics_task.h"

#include <utility>

namespace dlscope::core {

StatisticsTask::StatisticsTask(TensorValues values, std::shared_ptr<const void> owner, std::shared_ptr<const MemoryReader> reader,
                               unsigned threads)
    : owner_(std::move(owner)),
      reader_(std::move(reader)),
      values_{values.dtype, values.layout, values.address, values.source.read_by(*reader_), values.signs},
      threads_(threads),
      order_(values_.layout, values_.dtype, values_.address) {}

Result<Task::State> StatisticsTask::step() {
  if (!sample_) {
    StatisticsOptions options;
    options.histogram = true;
    options.threads = threads_;
    auto first = sample_with_bulk(values_, options);
    if (!first) return std::unexpected(first.error());
    if (first->statistics.summary.method == StatisticsMethod::exact) {
      exact_ = first->statistics;
      return State::done;
    }
    sample_ = first->statistics;
    bulk_ = first->bulk;
    return State::more;
  }
  if (!pass_) {
    auto pass = ExactPass::begin(values_, order_, true, {}, bulk_);
    if (!pass) return std::unexpected(pass.error());
    pass_.emplace(std::move(*pass));
    return State::more;
  }
  if (const auto done = pass_->advance(threads_, kStepNs); !done) return std::unexpected(done.error());
  if (!pass_->complete()) return State::more;
  exact_ = pass_->finish();
  return State::done;
}

TaskProgress StatisticsTask::progress() const {
  const std::uint64_t bits = order_.value_bits(), done = exact_ ? order_.places() : pass_ ? pass_->places_done() : 0;
  return {done * bits / 8, order_.places() * bits / 8};  // a validated layout: the bits of all values together fit
}

}  // namespace dlscope::core
