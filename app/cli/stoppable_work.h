// StoppableWork: runs work that may never return, such as reading a file of a network that does not answer, while the caller waits
// for signals and a time limit. A thread that stands in the kernel cannot be ended: it is left behind. Where no thread can be made, the
// work is done on the calling thread, without a limit, and the user is told.
// thread: main.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "app/cli/supervised_run.h"
#include "core/inventory/run_outcome.h"

namespace dlscope::app {

// Runs `work` on a new thread and waits for its end. False: it has not ended within that time, and its thread is left behind. The
// work must therefore own everything that it uses.
[[nodiscard]] bool ends_within(std::chrono::milliseconds patience, std::function<void()> work);

// The same as long as the work calls `moves` at least once within that time.
[[nodiscard]] bool ends_unless_stalled(std::chrono::milliseconds patience,
                                       std::function<void(const std::function<void()>& moves)> work);

class StoppableWork {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{5000};

  // patience: for work to end after it was asked to stop.
  StoppableWork(InterruptWatch& interrupts, Clock::time_point deadline, std::chrono::milliseconds patience = kPatience)
      : interrupts_(interrupts), deadline_(deadline), patience_(patience) {}

  // Runs it on a new thread. A signal or the deadline asks it to stop, and `consequence` is said; what is run after that is asked
  // to stop from its beginning. False: it does not end, and its thread is left behind. The work must own everything that it uses.
  [[nodiscard]] bool run(std::string_view consequence, std::function<void(const std::stop_token&)> work);
  // timeout or interrupted; nullopt: nothing asked it to stop.
  [[nodiscard]] std::optional<core::Outcome> stopped_by() const { return stopped_by_; }

 private:
  InterruptWatch& interrupts_;
  Clock::time_point deadline_;
  std::chrono::milliseconds patience_;
  std::stop_source stop_;
  std::optional<core::Outcome> stopped_by_;
};

}  // namespace dlscope::app
