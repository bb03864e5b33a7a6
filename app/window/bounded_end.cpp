#include "app/window/bounded_end.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

namespace dlscope::app {

void leave_unfinished() {
  constexpr std::string_view kWhy =
      "dlscope: the window has closed, but something did not end within ten seconds (as a rule a disk that does not answer): its "
      "settings or an unsaved text may not have been stored.\n";
  static_cast<void>(!::write(STDERR_FILENO, kWhy.data(), kWhy.size()));
  ::_exit(3);
}

BoundedEnd::BoundedEnd(std::chrono::milliseconds longest, std::function<void()> late) {
  const auto watch = [longest, late = std::move(late)](const std::stop_token& ended) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any changed;
    changed.wait_for(lock, ended, longest, [] { return false; });
    if (!ended.stop_requested()) late();
  };
  try {
    watch_ = std::jthread(watch);
  } catch (const std::system_error&) {
  }
}

}  // namespace dlscope::app
