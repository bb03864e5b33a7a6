#include "core/reduce/line_pass.h"

#include <algorithm>
#include <utility>

#include "core/base/clock.h"
#include "core/base/workers.h"

namespace dlscope::core {

LinePass::LinePass(std::vector<MakeReading> channels, std::uint64_t parts)
    : channels_(std::move(channels)),
      parts_(parts),
      first_(channels_.front()()),
      lines_(first_->line_count()),
      together_(first_->together()) {
  done_.resize(static_cast<std::size_t>((lines_ + together_ - 1) / together_) * channels_.size());
}

Result<void> LinePass::advance(unsigned threads, std::int64_t nanoseconds, std::vector<Texels>& out) {
  const unsigned count = useful_threads(threads, threads != 0 ? done_.size() : std::min<std::uint64_t>(parts_, done_.size()));
  while (workers_.size() < count) {
    workers_.emplace_back();
    workers_.back().readings.resize(channels_.size());
  }
  std::atomic<std::size_t> next = 0;  // worker: with fewer threads than there were, one of them finishes what another one began
  run_workers(count, [&](std::size_t) {
    for (std::size_t i = next++; i < workers_.size(); i = next++) work(workers_[i], nanoseconds, out);
  });
  while (done_in_front_ < done_.size() && done_[done_in_front_] != 0) ++done_in_front_;
  if (error_) return std::unexpected(*error_);
  return {};
}

void LinePass::work(Worker& worker, std::int64_t nanoseconds, std::vector<Texels>& out) {
  const std::int64_t ends = monotonic_ns() + nanoseconds;
  do {
    if (failed_) return;
    const bool begins = !worker.job;
    if (begins) {
      const std::size_t job = next_++;
      if (job >= done_.size()) return;
      worker.job = job;
    }
    const std::size_t channel = *worker.job % channels_.size();
    std::unique_ptr<LineReading>& reading = worker.readings[channel];
    if (!reading) reading = channels_[channel]();
    if (begins) reading->begin(static_cast<std::int64_t>(*worker.job / channels_.size()) * together_);
    const auto all = reading->advance(ends, out[channel]);
    if (!all) {
      const std::lock_guard lock(failing_);
      if (!error_) error_ = all.error();
      failed_ = true;
      return;
    }
    if (*all) done_[*std::exchange(worker.job, std::nullopt)] = 1;
  } while (monotonic_ns() < ends);
}

std::int64_t LinePass::lines_done() const {
  return std::min(lines_, static_cast<std::int64_t>(done_in_front_ / channels_.size()) * together_);
}

std::uint64_t LinePass::places_done() const {
  std::uint64_t places = 0;
  for (const Worker& worker : workers_)
    for (const auto& reading : worker.readings) places += reading ? reading->places_done() : 0;
  return places;
}

}  // namespace dlscope::core
