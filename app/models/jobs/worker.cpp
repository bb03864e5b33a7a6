#include "app/models/jobs/worker.h"

#include <exception>
#include <utility>

namespace dlscope::app {

Worker::Worker(std::function<void()> wake, Failed failed)
    : wake_(std::move(wake)), failed_(std::move(failed)), thread_([this](const std::stop_token& ending) { loop(ending); }) {}

Worker::~Worker() {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.clear();
    running_.request_stop();
  }
  thread_.request_stop();
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Worker::post(Job job, int key) {
  {
    const std::scoped_lock lock(mutex_);
    if (key > 0) {
      std::erase_if(waiting_, [key](const Entry& entry) { return entry.key == key; });
      if (is_running_ && running_key_ == key) running_.request_stop();
    }
    waiting_.push_back({std::move(job), key});
  }
  changed_.notify_all();
}

std::size_t Worker::apply_finished() {
  std::vector<Apply> now;
  {
    const std::scoped_lock lock(mutex_);
    now.swap(finished_);
  }
  for (const Apply& apply : now) apply();
  return now.size();
}

bool Worker::busy() const {
  const std::scoped_lock lock(mutex_);
  return is_running_ || !waiting_.empty() || !finished_.empty();
}

void Worker::finish_all() {
  while (busy()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !finished_.empty() || (!is_running_ && waiting_.empty()); });
    }
    apply_finished();
  }
}

Worker::Apply Worker::result_of(const Entry& entry, const std::stop_token& stop) const {
  try {
    return entry.job(stop);
  } catch (const std::exception& error) {
    if (!failed_) return {};
    return [this, why = std::string(error.what())] { failed_(why); };
  }
}

void Worker::loop(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, ending, [this] { return !waiting_.empty(); })) {
    const Entry entry = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    running_ = std::stop_source();
    running_key_ = entry.key;
    is_running_ = true;
    const std::stop_token stop = running_.get_token();
    lock.unlock();
    Apply apply = result_of(entry, stop);
    lock.lock();
    is_running_ = false;
    // A job that was replaced while it ran has nothing to say any more.
    const bool wanted = apply && !stop.stop_requested();
    if (wanted) finished_.push_back(std::move(apply));
    changed_.notify_all();
    if (wanted && wake_) {
      lock.unlock();
      wake_();
      lock.lock();
    }
  }
}

}  // namespace dlscope::app
