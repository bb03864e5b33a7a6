// ThreadWatch: tells whether threads of the script's process run while Python is idle: they may change values that are shown.
// Polled on its own thread, which wakes the window: so what such a thread writes is seen without moving the mouse, and nothing is
// drawn when none runs. Callbacks of windows run on the main thread, which is not watched: the host reports them (HostWindowsRan).
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

namespace dlscope::app {

// Nanoseconds that the threads of a process have run so far, without its main thread, dlscope's own and an allocator's; 0 when there are none, or
// the system does not tell.
[[nodiscard]] std::uint64_t other_threads_ran_ns(pid_t pid);

// The same, looked at again and again: of a thread that has not run since the last look nothing but its time is read, of dlscope's own
// nothing. (A new thread with the number of an own one that ended in between would be missed; numbers come round after thousands.)
class ThreadTimes {
 public:
  [[nodiscard]] std::uint64_t ran_ns(pid_t pid);
  [[nodiscard]] std::uint64_t files_read() const { return files_read_; }  // so far; for tests

 private:
  struct Known {
    std::uint64_t ran_ns = 0;
    bool own = false;
    std::uint64_t look = 0;  // the last one that found it
  };
  std::unordered_map<std::string, Known> threads_;  // by number
  std::uint64_t looks_ = 0, files_read_ = 0;
};

class ThreadWatch {
 public:
  // wake: called from the watching thread each time they have run.
  ThreadWatch(pid_t pid, std::function<void()> wake);
  ~ThreadWatch();
  ThreadWatch(const ThreadWatch&) = delete;
  ThreadWatch& operator=(const ThreadWatch&) = delete;

  // on: look often, and wake the window. Switched on again it also counts what ran while it was off.
  void watch(bool on);
  // Call when the tensors have been looked at: what ran before counts no more. Where no thread runs Python code, what has not paused
  // since and stops within a second counts neither: a library's threads that wait for more work.
  void forget(bool python_threads);
  // Whether they have run since then or since the last call, as far as the last look knows.
  [[nodiscard]] bool take_ran();

 private:
  void loop(const std::stop_token& ending);

  pid_t pid_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool on_ = false, ran_ = false;
  std::uint64_t forgotten_ = 0;    // how often
  bool pools_may_run_on_ = false;  // as of the last forget()
  std::jthread thread_;            // last: starts when all other members exist
};

}  // namespace dlscope::app
