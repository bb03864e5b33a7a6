#include "app/models/jobs/task_runner.h"

#include <chrono>
#include <exception>
#include <utility>

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kBetweenWakes{50};

}  // namespace

bool TaskProgress::report(std::uint64_t done, std::uint64_t total) {
  total_.store(total, std::memory_order_relaxed);
  done_.store(done, std::memory_order_relaxed);
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::int64_t step = std::chrono::steady_clock::duration(kBetweenWakes).count();
  if (now - woken_at_.load(std::memory_order_relaxed) >= step) {
    woken_at_.store(now, std::memory_order_relaxed);
    if (wake_) wake_();
  }
  return !cancelled();
}

std::uint64_t TaskRunner::start(std::string title, TaskUnit unit, Work work, Ended ended, Lane lane) {
  const std::uint64_t id = list_.add(std::move(title), unit, true, TaskList::Clock::now());
  Own own;
  own.progress = std::make_shared<TaskProgress>(own.stop.get_token(), wake_);
  own.ended = std::move(ended);
  jobs_.post(lane,
             [this, id, progress = own.progress, stop = own.stop,
              work = std::move(work)](const std::stop_token& pool_ends) -> JobPool::Apply {
               const std::stop_callback both(pool_ends, [stop]() mutable { stop.request_stop(); });
               progress->started_ = true;
               if (progress->wake_) progress->wake_();
               core::Result<std::string> result = core::fail(core::ErrorKind::cancelled, {});
               try {
                 if (!progress->cancelled()) result = work(*progress);
               } catch (const std::exception& error) {
                 result = core::fail(core::ErrorKind::environment, std::string("It failed: ") + error.what());
               }
               return [this, id, result] { end(id, result); };
             });
  own_.emplace(id, std::move(own));
  return id;
}

std::uint64_t TaskRunner::follow(std::string title, TaskUnit unit, std::function<void()> cancel) {
  const std::uint64_t id = list_.add(std::move(title), unit, cancel != nullptr, TaskList::Clock::now());
  followed_.emplace(id, std::move(cancel));
  return id;
}

void TaskRunner::cancel(std::uint64_t id) {
  list_.note_cancel(id);
  if (const auto own = own_.find(id); own != own_.end()) {
    own->second.stop.request_stop();
    // One that still waits has not begun, so it ends at once and not after those before it.
    if (!own->second.progress->started_) end(id, core::fail(core::ErrorKind::cancelled, {}));
  } else if (const auto followed = followed_.find(id); followed != followed_.end() && followed->second) {
    followed->second();
  }
}

void TaskRunner::end(std::uint64_t id, const core::Result<std::string>& result) {
  const auto own = own_.find(id);
  if (own == own_.end()) return;
  const Ended ended = std::move(own->second.ended);
  // Work that completed before it noticed the cancelling counts as done.
  const bool cancelled = !result && (own->second.stop.stop_requested() || result.error().kind == core::ErrorKind::cancelled);
  const TaskProgress& progress = *own->second.progress;
  if (progress.started_) list_.progress(id, progress.done_, progress.total_, TaskList::Clock::now());
  own_.erase(own);
  const TaskState how = cancelled ? TaskState::cancelled : result ? TaskState::done : TaskState::failed;
  const std::string text = cancelled ? std::string() : result ? *result : result.error().message;
  list_.end(id, how, text, TaskList::Clock::now());
  if (ended) {
    if (const TaskEntry* entry = list_.find(id)) ended(TaskEntry(*entry));
  }
}

bool TaskRunner::update(TaskList::Clock::time_point now) {
  std::erase_if(followed_, [this](const auto& each) {
    const TaskEntry* entry = list_.find(each.first);
    return entry == nullptr || !entry->is_open();
  });
  bool changed = false;
  for (const auto& [id, own] : own_) {
    if (!own.progress->started_) continue;
    const TaskEntry* entry = list_.find(id);
    const std::uint64_t done = own.progress->done_, total = own.progress->total_;
    changed = changed || entry->state == TaskState::waiting || entry->done != done || entry->total != total;
    list_.progress(id, done, total, now);
  }
  return changed;
}

}  // namespace dlscope::app
