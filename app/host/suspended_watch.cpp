#include "app/host/suspended_watch.h"

#include <fmt/core.h>

#include "app/host/process_status.h"

namespace dlscope::app {

bool SuspendedWatch::look(pid_t pid, Clock::time_point now) {
  constexpr std::chrono::seconds kEvery{1};
  if (now < next_) return false;
  next_ = now + kEvery;
  const bool was = suspended();
  const auto status = process_status(pid);
  found_ = status && status->stopped ? found_ + 1 : 0;
  return was != suspended();
}

std::string suspended_sentence(pid_t pid) {
  return fmt::format("Python's process {0} is stopped (SIGSTOP or the like): kill -CONT {0} lets it go on", pid);
}

}  // namespace dlscope::app
