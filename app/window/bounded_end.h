// BoundedEnd: a bound on how long the window may take to end. What is unsaved is written while the application is destroyed,
// and a disk that does not answer would keep the process, without a window, for ever. No thread that waits for such a disk can
// be ended, so the process leaves as it is: the host notices and ends, too.
// thread: any; the bound is watched by a thread of its own.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace dlscope::app {

// Long enough for a disk that is slow, and for a Python that is asked to exit.
inline constexpr std::chrono::seconds kLongestEnd{10};

// Says on the standard error output what may not be saved, and ends the process at once: exit code 3, the environment's fault.
[[noreturn]] void leave_unfinished();

class BoundedEnd {
 public:
  // late: called on the watching thread when this still exists after `longest`.
  explicit BoundedEnd(std::chrono::milliseconds longest = kLongestEnd, std::function<void()> late = leave_unfinished);
  BoundedEnd(const BoundedEnd&) = delete;
  BoundedEnd& operator=(const BoundedEnd&) = delete;

 private:
  std::jthread watch_;  // ends when this is destroyed; none where the system has no thread left, and then there is no bound
};

}  // namespace dlscope::app
