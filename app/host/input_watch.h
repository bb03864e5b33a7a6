// InputWatch: tells what the script's process waits for outside itself: for a line, in input(), that is, its main thread reads
// from its terminal, which is polled while something runs; or to go on, after somebody has stopped it, which is looked at once a
// second whatever it does. On a thread of its own; where the system does not tell, the answer is no.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace dlscope::app {

// Parses /proc/PID/syscall: is the thread waiting to read descriptor 0?
[[nodiscard]] bool waits_for_input(const char* syscall_line);

class InputWatch {
 public:
  // wake: called from the watching thread when an answer has changed.
  InputWatch(pid_t pid, std::function<void()> wake);
  ~InputWatch();
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

  void watch(bool on);  // off while nothing runs: nothing waits for a line then
  [[nodiscard]] bool waiting() const { return waiting_; }
  [[nodiscard]] bool suspended() const { return suspended_; }  // SuspendedWatch

 private:
  void loop(const std::stop_token& ending);
  [[nodiscard]] bool look() const;

  pid_t pid_;
  std::function<void()> wake_;
  std::atomic<bool> waiting_{false}, suspended_{false};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool on_ = false;
  std::jthread thread_;  // last: starts when all other members exist
};

}  // namespace dlscope::app
