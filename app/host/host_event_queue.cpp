#include "app/host/host_event_queue.h"

#include <algorithm>
#include <utility>

namespace dlscope::app {

namespace {

// What may wait for a drain: an endless printer is held up by its terminal then, as by any slow one.
constexpr std::size_t kMostOutputBytes = std::size_t{4} << 20;

}  // namespace

void HostEventQueue::push(HostEvent event) {
  {
    const std::lock_guard lock{mutex_};
    // Only the newest snapshot of a moment matters; a viewer that does not look for a while keeps two, not hundreds.
    if (const auto* snapshot = std::get_if<HostSnapshot>(&event); snapshot != nullptr && !events_.empty()) {
      if (auto* last = std::get_if<HostSnapshot>(&events_.back()); last != nullptr && last->scanned == snapshot->scanned) {
        *last = *snapshot;
        return;
      }
    }
    events_.push_back(std::move(event));
  }
  changed_.notify_all();
  if (wake_) wake_();
}

std::size_t HostEventQueue::push_output(std::string_view text) {
  std::size_t room = 0;
  {
    const std::lock_guard lock{mutex_};
    if (!text.empty()) {
      auto* last = events_.empty() ? nullptr : std::get_if<HostOutput>(&events_.back());
      if (last != nullptr) {
        last->text += text;
      } else {
        events_.emplace_back(HostOutput{std::string{text}});
      }
    }
    output_bytes_ += text.size();
    room = kMostOutputBytes - std::min(kMostOutputBytes, output_bytes_);
    output_full_ = room == 0;
  }
  if (!text.empty()) {
    changed_.notify_all();
    if (wake_) wake_();
  }
  return room;
}

std::vector<HostEvent> HostEventQueue::drain(bool& freed) {
  const std::lock_guard lock{mutex_};
  freed = std::exchange(output_full_, false);
  output_bytes_ = 0;
  return std::exchange(events_, {});
}

void HostEventQueue::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, at_most, [this] { return !events_.empty(); });
}

}  // namespace dlscope::app
