// ThreadWatch: tells whether threads of the script's process run while Python is idle. Polled on its own thread, which wakes the
// window: so values that such a thread writes are seen without moving the mouse, and nothing is drawn when none runs.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace dlscope::app {

// Nanoseconds that the threads of a process have run so far, without its main thread and dlscope's own; 0 when there are none, or
// the system does not tell.
[[nodiscard]] std::uint64_t other_threads_ran_ns(pid_t pid);

class ThreadWatch {
 public:
  // wake: called from the watching thread each time they have run since the last look.
  ThreadWatch(pid_t pid, std::function<void()> wake);
  ~ThreadWatch();
  ThreadWatch(const ThreadWatch&) = delete;
  ThreadWatch& operator=(const ThreadWatch&) = delete;

  void watch(bool on);

 private:
  void loop(const std::stop_token& ending);

  pid_t pid_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool on_ = false;
  std::jthread thread_;  // last: starts when all other members exist
};

}  // namespace dlscope::app
