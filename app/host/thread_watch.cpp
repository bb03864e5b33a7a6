#include "app/host/thread_watch.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "app/files/read_file.h"
#include "core/base/blocked_signals.h"
#include "core/base/own_threads.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kLookEvery{200};
// The threads of a library (OpenBLAS, OpenMP) wait for more work in a loop, for some tenths of a second after their last.
constexpr int kLooksUntilPoolsRest = 5;
constexpr std::size_t kMaxThreads = 512;

std::uint64_t first_number(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::uint64_t other_threads_ran_ns(pid_t pid) { return ThreadTimes().ran_ns(pid); }

std::uint64_t ThreadTimes::ran_ns(pid_t pid) {
  namespace fs = std::filesystem;
  const std::string main = std::to_string(pid);
  std::uint64_t ran = 0;
  std::size_t looked_at = 0;
  std::error_code failed;
  ++looks_;
  for (fs::directory_iterator entry(fmt::format("/proc/{}/task", pid), failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string number = entry->path().filename().string();
    if (number == main || ++looked_at > kMaxThreads) continue;
    Known& known = threads_[number];
    known.look = looks_;
    if (known.own) continue;
    ++files_read_;
    const auto stat = read_text_file((entry->path() / "schedstat").string());
    if (!stat) continue;
    const std::uint64_t now = first_number(*stat);
    if (now != known.ran_ns) {  // it has run, and may have taken its name
      ++files_read_;
      const auto name = read_text_file((entry->path() / "comm").string());
      known.own = name && core::touches_no_tensor(*name);
      known.ran_ns = now;
    }
    if (!known.own) ran += known.ran_ns;
  }
  std::erase_if(threads_, [this](const auto& thread) { return thread.second.look != looks_; });
  return ran;
}

ThreadWatch::ThreadWatch(pid_t pid, std::function<void()> wake) : pid_(pid), wake_(std::move(wake)) {
  const core::BlockedSignals blocked;
  try {
    thread_ = std::jthread([this](const std::stop_token& ending) { loop(ending); });
  } catch (const std::system_error&) {  // the system gives no more threads: then nothing is noticed
  }
}

ThreadWatch::~ThreadWatch() {
  thread_.request_stop();
  changed_.notify_all();
}

void ThreadWatch::watch(bool on) {
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(on_, on) == on) return;
  }
  changed_.notify_all();
}

void ThreadWatch::forget(bool python_threads) {
  {
    const std::scoped_lock lock(mutex_);
    ++forgotten_;
    ran_ = false;
    pools_may_run_on_ = !python_threads;
  }
  changed_.notify_all();
}

bool ThreadWatch::take_ran() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(ran_, false);
}

void ThreadWatch::loop(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  std::optional<std::uint64_t> before;  // how long they had run at the last look
  std::uint64_t forgotten = 0;          // forgotten_ at that look
  int may_run_on = 0;                   // for how many more looks
  ThreadTimes times;
  const auto is_due = [&] { return on_ || forgotten != forgotten_; };
  while (changed_.wait(lock, ending, is_due) && !ending.stop_requested()) {
    const std::uint64_t asked = forgotten_;
    lock.unlock();
    const std::uint64_t now = times.ran_ns(pid_);
    lock.lock();
    const bool moved = before && *before != now && forgotten == forgotten_;
    const bool ended = moved && now < *before;  // a thread that is gone has run
    if (forgotten != asked)
      may_run_on = pools_may_run_on_ ? kLooksUntilPoolsRest : 0;
    else
      may_run_on = moved ? std::max(may_run_on - 1, 0) : 0;
    before = now;
    forgotten = asked;
    if (moved) {
      ran_ = ran_ || ended || may_run_on == 0;
      lock.unlock();
      if (wake_) wake_();
      lock.lock();
    }
    changed_.wait_for(lock, ending, kLookEvery, [&] { return !on_ || forgotten != forgotten_; });
  }
}

}  // namespace dlscope::app
