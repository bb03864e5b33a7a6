// InputWatch: whether the script stands in input(): its main thread waits to read from its terminal. Looked at on a thread
// of its own while something runs; where the system does not tell, the answer is no.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace dlscope::app {

// What /proc/PID/syscall says: is that thread waiting to read descriptor 0?
[[nodiscard]] bool waits_for_input(const char* syscall_line);

class InputWatch {
 public:
  // wake: from the watching thread, when the answer changed.
  InputWatch(pid_t pid, std::function<void()> wake);
  ~InputWatch();
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

  void watch(bool on);  // off while nothing runs: costs nothing then
  [[nodiscard]] bool waiting() const { return waiting_; }

 private:
  void loop(const std::stop_token& ending);
  [[nodiscard]] bool look() const;

  pid_t pid_;
  std::function<void()> wake_;
  std::atomic<bool> waiting_{false};
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool on_ = false;
  std::jthread thread_;  // last: starts when everything else stands
};

}  // namespace dlscope::app
