#include "app/models/jobs/job_pool.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace dlscope::app {

JobPool::JobPool(std::function<void()> wake, Failed failed) : wake_(std::move(wake)), failed_(std::move(failed)) {}

JobPool::~JobPool() {
  std::array<std::vector<Entry>, kLanes> dropped;
  {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < kLanes; ++i) {
      dropped[i].swap(lanes_[i].waiting);
      lanes_[i].running.request_stop();
    }
  }
  for (std::jthread& thread : threads_) thread.request_stop();
  changed_.notify_all();
  threads_.clear();
}

void JobPool::post(Lane lane, Job job, JobKey key, JobPriority priority) {
  const std::scoped_lock lock(mutex_);
  drop(key);
  LaneState& state = lanes_[static_cast<std::size_t>(lane)];
  Entry entry{std::move(job), key, ++last_number_, priority};
  if (key.kind != JobKind::none) newest_[key] = entry.number;
  const auto place = std::ranges::upper_bound(state.waiting, priority, {}, &Entry::priority);
  state.waiting.insert(place, std::move(entry));
  const auto ready =
      std::ranges::count_if(lanes_, [](const LaneState& each) { return !each.is_running && !each.waiting.empty(); });
  if (static_cast<std::size_t>(ready) > idle_threads_ && threads_.size() < kLanes) {
    try {
      threads_.emplace_back([this](const std::stop_token& ending) { loop(ending); });
      ++idle_threads_;  // it begins when mutex_ is free
    } catch (const std::system_error&) {  // the system gives no more threads: others do it, or one that is asked for later
    }
  }
  changed_.notify_all();
}

void JobPool::cancel(JobKey key) {
  const std::scoped_lock lock(mutex_);
  drop(key);
  newest_.erase(key);
  changed_.notify_all();
}

void JobPool::drop(JobKey key) {
  if (key.kind == JobKind::none) return;
  for (LaneState& lane : lanes_) {
    for (Entry& entry : lane.waiting) {
      if (entry.key == key) dropped_.jobs.push_back(std::move(entry.job));
    }
    std::erase_if(lane.waiting, [&](const Entry& entry) { return entry.key == key; });
    if (lane.is_running && lane.running_key == key) lane.running.request_stop();
  }
}

bool JobPool::is_newest(JobKey key, std::uint64_t number) const {
  if (key.kind == JobKind::none) return true;
  const auto found = newest_.find(key);
  return found != newest_.end() && found->second == number;
}

std::size_t JobPool::apply_finished() {
  std::vector<Result> now;
  {
    const std::scoped_lock lock(mutex_);
    now.swap(finished_);
  }
  std::size_t applied = 0;
  for (Result& result : now) {
    {
      // Checked one by one: applying the previous result may have posted a newer job with this key.
      const std::scoped_lock lock(mutex_);
      if (!is_newest(result.key, result.number)) {
        dropped_.results.push_back(std::move(result.apply));
        changed_.notify_all();
        continue;
      }
      newest_.erase(result.key);
    }
    result.apply();
    ++applied;
  }
  return applied;
}

bool JobPool::busy() const {
  const std::scoped_lock lock(mutex_);
  return !finished_.empty() ||
         std::ranges::any_of(lanes_, [](const LaneState& lane) { return lane.is_running || !lane.waiting.empty(); });
}

void JobPool::finish_all() {
  while (busy()) {
    {
      std::unique_lock lock(mutex_);
      if (threads_.empty()) {  // the system gave none: nobody else does them
        if (LaneState* const lane = ready_lane()) run_next(*lane, lock);
      } else {
        changed_.wait(lock, [this] {
          return !finished_.empty() ||
                 std::ranges::none_of(lanes_, [](const LaneState& lane) { return lane.is_running || !lane.waiting.empty(); });
        });
      }
    }
    apply_finished();
  }
}

void JobPool::finish(Lane lane) {
  std::unique_lock lock(mutex_);
  const LaneState& state = lanes_[static_cast<std::size_t>(lane)];
  if (threads_.empty()) return;  // the system gave none: what waits is not done
  changed_.wait(lock, [&] { return !state.is_running && state.waiting.empty(); });
}

JobPool::Apply JobPool::result_of(const Entry& entry, const std::stop_token& stop) const {
  try {
    return entry.job(stop);
  } catch (const std::exception& error) {
    if (!failed_) return {};
    return [this, why = std::string(error.what())] { failed_(why); };
  }
}

JobPool::LaneState* JobPool::ready_lane() {
  const auto found =
      std::ranges::find_if(lanes_, [](const LaneState& lane) { return !lane.is_running && !lane.waiting.empty(); });
  return found == lanes_.end() ? nullptr : &*found;
}

void JobPool::loop(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, ending, [this] { return ready_lane() != nullptr || !dropped_.empty(); })) {
    --idle_threads_;
    if (LaneState* const lane = ready_lane()) {
      run_next(*lane, lock);
    } else {
      Dropped dropped = std::exchange(dropped_, {});
      lock.unlock();
      dropped = {};
      lock.lock();
    }
    ++idle_threads_;
  }
}

void JobPool::run_next(LaneState& lane, std::unique_lock<std::mutex>& lock) {
  bool wanted = false;
  {
    const Entry entry = std::move(lane.waiting.front());
    lane.waiting.erase(lane.waiting.begin());
    lane.running = std::stop_source();
    lane.running_key = entry.key;
    lane.is_running = true;
    const std::stop_token stop = lane.running.get_token();
    lock.unlock();
    Apply apply = result_of(entry, stop);
    lock.lock();
    // The result of a job that was replaced while it ran is dropped.
    const bool newest = is_newest(entry.key, entry.number);
    wanted = apply && newest;
    if (wanted)
      finished_.push_back({std::move(apply), entry.key, entry.number});
    else if (newest)
      newest_.erase(entry.key);
    lock.unlock();  // frees what the job, or a dropped result, holds: not under the lock
  }
  if (wanted && wake_) wake_();
  lock.lock();
  lane.is_running = false;
  changed_.notify_all();
}

}  // namespace dlscope::app
