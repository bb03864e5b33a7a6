#include "embed/host/host_threads.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <thread>

#include "core/base/blocked_signals.h"
#include "core/base/float_environment.h"

namespace dlscope::embed {

void begin_own_thread() {
  core::block_signals_but_faults();
  core::use_default_float_environment();
}

namespace {

void do_nothing(int) {}

}  // namespace

void prepare_to_end_system_calls() {
  struct sigaction now {};
  if (sigaction(SIGURG, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = do_nothing;  // no SA_RESTART: the call is to end
  sigaction(SIGURG, &ours, nullptr);
}

void end_system_call(pthread_t thread) {
  struct sigaction now {};
  if (sigaction(SIGURG, nullptr, &now) == 0 && now.sa_handler == do_nothing) pthread_kill(thread, SIGURG);
}

namespace {

bool is_counted(pid_t id) { return access(fmt::format("/proc/self/task/{}", id).c_str(), F_OK) == 0; }

}  // namespace

void wait_until_thread_is_gone(pid_t id) {
  for (int look = 0; look < 100 && is_counted(id); ++look) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// An idle thread ends after a second, so a process that lives long starts many: those that are gone are forgotten here.
void StartedThreads::note_this() noexcept {
  const std::lock_guard lock(mutex_);
  try {
    std::erase_if(ids_, [](pid_t id) { return !is_counted(id); });
    ids_.push_back(gettid());
  } catch (const std::bad_alloc&) {
  }
}

void StartedThreads::wait_until_gone() {
  std::vector<pid_t> ids;
  {
    const std::lock_guard lock(mutex_);
    ids.swap(ids_);
  }
  for (const pid_t id : ids) wait_until_thread_is_gone(id);
}

std::size_t StartedThreads::size() {
  const std::lock_guard lock(mutex_);
  return ids_.size();
}

}  // namespace dlscope::embed
