// ThreadWatch: whether threads of the script's process do something while Python is idle. Looked at on a thread of its own, which
// wakes the window: values that such a thread writes are seen without the mouse moving, and nothing is drawn where none runs.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace dlscope::app {

// Nanoseconds that threads of a process have run so far, but for its main thread and dlscope's own; 0 where there are none, or
// the system does not tell.
[[nodiscard]] std::uint64_t other_threads_ran_ns(pid_t pid);

class ThreadWatch {
 public:
  // wake: from the watching thread, each time they have run since the last look.
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
  std::jthread thread_;  // last: starts when everything else stands
};

}  // namespace dlscope::app
