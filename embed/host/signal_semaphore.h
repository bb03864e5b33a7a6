// SignalSemaphore: a count to wait for, like std::counting_semaphore, whose wait ends when a signal comes, so that Python can run
// the signal's handler.
#pragma once

#include <semaphore.h>

#include <chrono>
#include <ctime>
#include <optional>

namespace dlscope::embed {

class SignalSemaphore {
 public:
  SignalSemaphore() { sem_init(&count_, 0, 0); }
  ~SignalSemaphore() { sem_destroy(&count_); }
  SignalSemaphore(const SignalSemaphore&) = delete;
  SignalSemaphore& operator=(const SignalSemaphore&) = delete;

  // thread: any
  void post() { sem_post(&count_); }
  // False: the time is over, or a signal came. thread: any
  [[nodiscard]] bool wait(std::optional<std::chrono::milliseconds> at_most) {
    if (!at_most) return sem_wait(&count_) == 0;
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    const auto nanoseconds = until.tv_nsec + std::chrono::nanoseconds(*at_most).count();
    until.tv_sec += nanoseconds / 1'000'000'000;
    until.tv_nsec = nanoseconds % 1'000'000'000;
    return sem_clockwait(&count_, CLOCK_MONOTONIC, &until) == 0;
  }

 private:
  sem_t count_{};
};

}  // namespace dlscope::embed
