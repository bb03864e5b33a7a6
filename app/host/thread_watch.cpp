#include "app/host/thread_watch.h"

#include <fmt/format.h>
#include <pthread.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>

#include "app/files/read_file.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kLookEvery{200};
constexpr std::size_t kMaxThreads = 512;
constexpr std::string_view kOwnThread = "dlscope-wire\n";

std::uint64_t first_number(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::uint64_t other_threads_ran_ns(pid_t pid) {
  namespace fs = std::filesystem;
  const std::string main = std::to_string(pid);
  std::uint64_t ran = 0;
  std::size_t looked_at = 0;
  std::error_code failed;
  for (fs::directory_iterator entry(fmt::format("/proc/{}/task", pid), failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    if (entry->path().filename() == main || ++looked_at > kMaxThreads) continue;
    const auto stat = read_text_file((entry->path() / "schedstat").string());
    if (!stat) continue;
    const auto name = read_text_file((entry->path() / "comm").string());
    if (!name || *name != kOwnThread) ran += first_number(*stat);
  }
  return ran;
}

ThreadWatch::ThreadWatch(pid_t pid, std::function<void()> wake) : pid_(pid), wake_(std::move(wake)) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& ending) { loop(ending); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
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

void ThreadWatch::loop(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  std::uint64_t before = 0;
  bool looked = false;  // at least once since it was switched on
  while (changed_.wait(lock, ending, [this] { return on_; }) && !ending.stop_requested()) {
    lock.unlock();
    const std::uint64_t now = other_threads_ran_ns(pid_);
    const bool ran = looked && now != before;
    before = now;
    if (ran && wake_) wake_();
    lock.lock();
    looked = !changed_.wait_for(lock, ending, kLookEvery, [this] { return !on_; });
  }
}

}  // namespace dlscope::app
