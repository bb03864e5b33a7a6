#include "app/host/input_watch.h"

#include <fmt/core.h>
#include <sys/syscall.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "app/host/suspended_watch.h"
#include "core/base/blocked_signals.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kLookEvery{120}, kLookIdleEvery{1000};

}  // namespace

bool waits_for_input(const char* line) {
  long number = 0;
  unsigned long first = 0;
  if (std::sscanf(line, "%ld %lx", &number, &first) != 2) return false;  // "running", or not available
  if (number == SYS_read) return first == 0;
#ifdef SYS_readv
  if (number == SYS_readv) return first == 0;
#endif
    // GNU readline selects on descriptor 0 alone.
#ifdef SYS_select
  if (number == SYS_select) return first == 1;
#endif
#ifdef SYS_pselect6
  if (number == SYS_pselect6) return first == 1;
#endif
  return false;
}

InputWatch::InputWatch(pid_t pid, std::function<void()> wake) : pid_(pid), wake_(std::move(wake)) {
  const core::BlockedSignals blocked;
  try {
    thread_ = std::jthread([this](const std::stop_token& ending) { loop(ending); });
  } catch (const std::system_error&) {  // the system gives no more threads: then nothing is noticed
  }
}

InputWatch::~InputWatch() {
  thread_.request_stop();
  changed_.notify_all();
}

void InputWatch::watch(bool on) {
  {
    const std::scoped_lock lock(mutex_);
    if (on_ == on) return;
    on_ = on;
    if (!on) waiting_ = false;
  }
  changed_.notify_all();
}

bool InputWatch::look() const {
  const std::string path = fmt::format("/proc/{0}/task/{0}/syscall", pid_);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  char line[256] = {};
  return file != nullptr && std::fgets(line, sizeof line, file.get()) != nullptr && waits_for_input(line);
}

void InputWatch::loop(const std::stop_token& ending) {
  SuspendedWatch suspended;
  std::unique_lock lock(mutex_);
  while (!ending.stop_requested()) {
    const bool looks_for_input = on_;
    lock.unlock();
    const bool now = looks_for_input && look();
    suspended.look(pid_);
    lock.lock();
    const bool waits = on_ && now;
    if (waiting_ != waits || suspended_ != suspended.suspended()) {
      waiting_ = waits;
      suspended_ = suspended.suspended();
      lock.unlock();
      if (wake_) wake_();
      lock.lock();
    }
    const bool was_on = on_;
    changed_.wait_for(lock, ending, was_on ? kLookEvery : kLookIdleEvery, [&] { return on_ != was_on; });
  }
}

}  // namespace dlscope::app
