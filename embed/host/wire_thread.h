// WireThread: the thread that listens to the viewer, with all signals blocked. It is ended before a fork and started anew after
// it, so that a script without threads forks a process that has none (from 3.12 on Python warns of a fork with threads).
// thread: one that holds the GIL, unless a function says otherwise. Never destroyed while the thread runs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <thread>

namespace dlscope::embed {

class WireThread {
 public:
  struct Work {
    std::function<void()> begin;  // thread: the new one, once
    // thread: the new one, again and again until end(). Waits for what comes, for half a second at most; throws nothing.
    std::function<void()> pass;
    std::function<void()> wake;                   // ends the waiting of pass(). thread: any
    std::function<void(std::string_view)> notice;  // tells the user, in words. thread: the caller's
  };
  explicit WireThread(Work work);

  // False: the system gives no thread (RLIMIT_NPROC), or no memory for one.
  [[nodiscard]] bool start();
  // Starts it if it does not run. later: the system gives no thread (a child took its place); call again soon. given_up: too many
  // tries failed, and the user was told; call again when the situation may have changed.
  enum class Restart : std::uint8_t { done, later, given_up };
  Restart restart();
  // A new reason for restart() to try as often as it does.
  void forget_failed_starts() { next_start_ns_ = failed_starts_ = 0; }
  // Blocks until it has ended, and the kernel does not count it any more. It runs.
  void end();

 private:
  Work work_;
  std::thread thread_;
  std::atomic<bool> ends_{false};
  std::atomic<pid_t> id_{0};
  std::int64_t next_start_ns_ = 0;  // when it is tried again, after it has failed
  int failed_starts_ = 0;
};

}  // namespace dlscope::embed
