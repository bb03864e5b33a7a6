#include "core/tasks/task_pool.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/in_words.h"

namespace dlscope::core {
namespace {

constexpr std::int64_t kTurnNs = 50'000'000;  // time slice of a task while another one waits
constexpr std::chrono::seconds kLastStep{1};
constexpr int kEndTries = 100;  // of an end that there is no memory to tell of, each after kBetweenTries
constexpr std::chrono::milliseconds kBetweenTries{10};

// Made now, because later there may be no memory for them.
const std::string kNoMemory = kNotEnoughMemory;
const std::string kNoThreads =
    "the system allows no more threads for it: this user's limit of processes and threads (RLIMIT_NPROC) is reached, or this "
    "process's of memory (RLIMIT_AS)";

struct Entry {
  std::uint64_t id = 0;
  std::shared_ptr<Task> task;
  TaskPriority priority = TaskPriority::normal;
  std::int64_t last_progress_ns = 0;
  bool running = false;
};

// Shared by the pool and one of its threads: the id of its current
// task (0: none), and whether that task was cancelled during a step.
struct PoolThread {
  std::uint64_t task = 0;
  bool abandoned = false;
};

// What a step and the observer's look at it led to. end: nullopt while more steps follow.
struct StepEnd {
  std::optional<TaskEnd> end = {};
  std::string words = {};
  bool threw = false;
};

// Calls `work` on a thread of ours, which an exception must not leave: that would end the user's process. One that comes is how
// the task ends, as a rule for want of memory.
template <class Work>
void guard(StepEnd& step, const Work& work) noexcept {
  try {
    try {
      work();
    } catch (const std::bad_alloc&) {
      step = {TaskEnd::failed, {}, true};
    } catch (const std::exception& error) {
      step = {TaskEnd::failed, {}, true};
      step.words = error.what();
    }
  } catch (const std::bad_alloc&) {  // of those words
  }
}

StepEnd run_step(Task& task) noexcept {
  StepEnd step;
  guard(step, [&] {
    const Result<Task::State> state = task.step();
    if (!state)
      step = {TaskEnd::failed, state.error().message};
    else if (*state == Task::State::done)
      step = {TaskEnd::done};
  });
  return step;
}

// Returns when the observer has been told, or when there was no memory for that for a second.
void tell_end(TaskObserver& observer, std::uint64_t id, Task& task, TaskEnd end, const std::string& words) noexcept {
  const std::string* text = end == TaskEnd::failed && words.empty() ? &kNoMemory : &words;
  for (int tries = 0; tries < kEndTries; ++tries) {
    StepEnd told;
    guard(told, [&] { observer.ended(id, task, end, *text); });
    if (!told.threw) return;
    if (end != TaskEnd::cancelled) {
      end = TaskEnd::failed;
      text = &kNoMemory;
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace

// Outlives the pool while a thread is in a step that does not end; that thread sees `closed` when the step returns.
struct TaskPool::State : std::enable_shared_from_this<TaskPool::State> {
  State(TaskObserver& observer_, TaskPoolOptions options_) : observer(&observer_), options(std::move(options_)) {}

  void work(const std::shared_ptr<PoolThread>& thread);
  [[nodiscard]] std::list<Entry>::iterator next_entry();
  void run_turn(std::unique_lock<std::mutex>& lock, PoolThread& thread, std::list<Entry>::iterator entry);
  void end_entry(std::unique_lock<std::mutex>& lock, std::list<Entry>::iterator entry, TaskEnd end, const std::string& text);
  void end_all(std::unique_lock<std::mutex>& lock, TaskEnd end, const std::string& text);
  [[nodiscard]] bool start_threads();
  [[nodiscard]] unsigned useful_threads() const;

  TaskObserver* observer;
  TaskPoolOptions options;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::list<Entry> entries;  // in the order of their turns
  std::list<std::shared_ptr<PoolThread>> threads;
  unsigned calls_out = 0;  // of the observer
  bool paused = false, closed = false;
};

unsigned TaskPool::State::useful_threads() const {
  return static_cast<unsigned>(std::ranges::count_if(threads, [](const auto& thread) { return !thread->abandoned; }));
}

// The waiting task whose turn it is: the highest priority, among those the one that has waited longest.
std::list<Entry>::iterator TaskPool::State::next_entry() {
  auto best = entries.end();
  for (auto at = entries.begin(); at != entries.end(); ++at) {
    if (!at->running && (best == entries.end() || at->priority > best->priority)) best = at;
  }
  return best;
}

// Needs the lock. False: there is work, but no thread, and none could be started.
bool TaskPool::State::start_threads() {
  const auto waiting =
      static_cast<std::size_t>(std::ranges::count_if(entries, [](const Entry& entry) { return !entry.running; }));
  std::size_t idle = useful_threads() - static_cast<std::size_t>(std::ranges::count_if(threads, [](const auto& thread) {
                       return !thread->abandoned && thread->task != 0;
                     }));
  while (idle < waiting && useful_threads() < options.threads) {
    const std::size_t before = threads.size();
    try {
      const auto thread = threads.emplace_back(std::make_shared<PoolThread>());
      std::thread([self = shared_from_this(), thread] { self->work(thread); }).detach();
    } catch (const std::exception&) {  // std::system_error, std::bad_alloc
      threads.resize(before);
      return useful_threads() > 0;
    }
    ++idle;
  }
  return true;
}

void TaskPool::State::work(const std::shared_ptr<PoolThread>& thread) {
  StepEnd unnoted;
  if (options.at_thread_start) guard(unnoted, options.at_thread_start);
  std::unique_lock lock(mutex);
  while (!closed && !paused && !thread->abandoned) {
    const auto entry = next_entry();
    if (entry != entries.end()) {
      run_turn(lock, *thread, entry);
    } else if (changed.wait_for(lock, options.idle_end) == std::cv_status::timeout && next_entry() == entries.end()) {
      break;
    }
  }
  threads.remove(thread);
  changed.notify_all();
}

// Runs steps until the task ends or is cancelled, or its time slice is over and another task waits.
void TaskPool::State::run_turn(std::unique_lock<std::mutex>& lock, PoolThread& thread, std::list<Entry>::iterator entry) {
  entry->running = true;
  thread.task = entry->id;
  const std::int64_t turn_ends = monotonic_ns() + kTurnNs;
  for (;;) {
    const std::shared_ptr<Task> task = entry->task;
    lock.unlock();
    StepEnd step = run_step(*task);
    lock.lock();
    if (thread.abandoned || closed) return;  // ended by cancel(): the entry is gone
    const std::int64_t now = monotonic_ns();
    const bool is_time = now - entry->last_progress_ns >= std::chrono::nanoseconds(kProgressPeriod).count();
    if (!step.threw && (step.end || is_time)) {
      entry->last_progress_ns = now;
      const std::uint64_t id = entry->id;
      ++calls_out;
      lock.unlock();
      guard(step, [&] { observer->progressed(id, *task); });
      lock.lock();
      --calls_out;
      changed.notify_all();
      if (thread.abandoned || closed) return;
    }
    if (step.end) {
      thread.task = 0;
      return end_entry(lock, entry, *step.end, step.words);
    }
    const bool others_wait = next_entry() != entries.end();
    if (paused || (others_wait && now > turn_ends)) break;
  }
  thread.task = 0;
  entry->running = false;
  entries.splice(entries.end(), entries, entry);
}

// Removes the entry and calls the observer; the lock is released during the call.
void TaskPool::State::end_entry(std::unique_lock<std::mutex>& lock, std::list<Entry>::iterator entry, TaskEnd end,
                                const std::string& text) {
  const std::uint64_t id = entry->id;
  const std::shared_ptr<Task> task = std::move(entry->task);
  entries.erase(entry);
  ++calls_out;
  lock.unlock();
  tell_end(*observer, id, *task, end, text);
  lock.lock();
  --calls_out;
  changed.notify_all();
}

void TaskPool::State::end_all(std::unique_lock<std::mutex>& lock, TaskEnd end, const std::string& text) {
  while (!entries.empty()) end_entry(lock, entries.begin(), end, text);
}

TaskPool::TaskPool(TaskObserver& observer, TaskPoolOptions options)
    : state_(std::make_shared<State>(observer, std::move(options))) {}

TaskPool::~TaskPool() {
  std::unique_lock lock(state_->mutex);
  state_->closed = true;
  for (const auto& thread : state_->threads) thread->abandoned = true;
  state_->end_all(lock, TaskEnd::cancelled, {});
  state_->changed.notify_all();
  state_->changed.wait_for(lock, kLastStep, [&] { return state_->threads.empty(); });
  state_->changed.wait(lock, [&] { return state_->calls_out == 0; });
}

void TaskPool::post(std::uint64_t id, std::unique_ptr<Task> task, TaskPriority priority) {
  std::unique_lock lock(state_->mutex);
  Entry entry;
  entry.id = id;
  entry.task = std::move(task);
  entry.priority = priority;
  const auto place = state_->entries.insert(state_->entries.end(), std::move(entry));
  if (state_->paused || state_->start_threads()) {
    state_->changed.notify_one();
  } else {
    state_->end_entry(lock, place, TaskEnd::failed, kNoThreads);
  }
}

bool TaskPool::cancel(std::uint64_t id) {
  std::unique_lock lock(state_->mutex);
  const auto entry = std::ranges::find(state_->entries, id, &Entry::id);
  if (entry == state_->entries.end()) return false;
  for (const auto& thread : state_->threads) {
    if (thread->task == id) thread->abandoned = true;  // exits after its current step; another thread takes its place
  }
  state_->end_entry(lock, entry, TaskEnd::cancelled, {});
  if (!state_->paused && !state_->closed && !state_->start_threads()) state_->end_all(lock, TaskEnd::failed, kNoThreads);
  return true;
}

bool TaskPool::pause(std::chrono::milliseconds at_most) {
  std::unique_lock lock(state_->mutex);
  state_->paused = true;
  state_->changed.notify_all();
  return state_->changed.wait_for(lock, at_most, [&] { return state_->threads.empty(); });
}

void TaskPool::resume() {
  std::unique_lock lock(state_->mutex);
  state_->paused = false;
  if (!state_->start_threads()) state_->end_all(lock, TaskEnd::failed, kNoThreads);
}

std::size_t TaskPool::tasks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->entries.size();
}

unsigned TaskPool::threads() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<unsigned>(state_->threads.size());
}

}  // namespace dlscope::core
