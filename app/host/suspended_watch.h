// SuspendedWatch: whether somebody has stopped a process (SIGSTOP or the like): it is not hanging, and goes on when it is told
// to. A read of the terminal stops one, too, which is noticed elsewhere and over at once; so only what two looks in succession
// find counts.
// thread: one at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

namespace dlscope::app {

class SuspendedWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Call as often as you like: looks once a second. True: the answer of suspended() has changed.
  bool look(pid_t pid, Clock::time_point now = Clock::now());
  [[nodiscard]] bool suspended() const { return found_ > 1; }

 private:
  int found_ = 0;  // how many looks in succession have found it stopped
  Clock::time_point next_;
};

// "Python's process 4711 is stopped (SIGSTOP or the like): kill -CONT 4711 lets it go on"
[[nodiscard]] std::string suspended_sentence(pid_t pid);

}  // namespace dlscope::app
