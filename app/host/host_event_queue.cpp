#include "app/host/host_event_queue.h"

#include <algorithm>
#include <utility>

#include "core/wire/snapshot_codec.h"

namespace dlscope::app {

namespace {

// Bounds for what waits to be drained. Above them an endless printer is held up by its terminal, as by any slow one.
constexpr std::size_t kMaxOutputBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxEventBytes = std::size_t{64} << 20, kMaxEvents = 10'000;

// A snapshot comes through the region, not in a message.
std::size_t bytes_of(const HostEvent& event, std::size_t message_bytes) {
  const auto* scan = std::get_if<HostSnapshot>(&event);
  return sizeof event + message_bytes + (scan != nullptr && scan->snapshot ? core::wire::encoded_size(*scan->snapshot) : 0);
}

}  // namespace

void HostEventQueue::push(HostEvent event, std::size_t message_bytes) {
  {
    const std::lock_guard lock{mutex_};
    // Of two snapshots of the same kind only the newer one matters: a viewer that does not drain for a while keeps few, not
    // hundreds.
    if (const auto* snapshot = std::get_if<HostSnapshot>(&event); snapshot != nullptr && !events_.empty()) {
      if (auto* last = std::get_if<HostSnapshot>(&events_.back()); last != nullptr && last->scanned == snapshot->scanned) {
        bytes_ -= std::min(bytes_, bytes_of(events_.back(), 0));
        bytes_ += bytes_of(event, 0);
        *last = *snapshot;
        return;
      }
    }
    bytes_ += bytes_of(event, message_bytes);
    events_.push_back(std::move(event));
  }
  announce();
}

bool HostEventQueue::full() const {
  const std::lock_guard lock{mutex_};
  return bytes_ > kMaxEventBytes || events_.size() > kMaxEvents;
}

void HostEventQueue::announce() {
  changed_.notify_all();
  const std::lock_guard lock{waking_};
  if (wake_) wake_();
}

void HostEventQueue::disconnect() {
  const std::lock_guard lock{waking_};
  wake_ = {};
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
    room = kMaxOutputBytes - std::min(kMaxOutputBytes, output_bytes_);
    output_full_ = room == 0;
  }
  if (!text.empty()) announce();
  return room;
}

std::vector<HostEvent> HostEventQueue::drain(bool& freed) {
  const std::lock_guard lock{mutex_};
  freed = std::exchange(output_full_, false);
  output_bytes_ = bytes_ = 0;
  return std::exchange(events_, {});
}

void HostEventQueue::wait(std::chrono::milliseconds at_most) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, at_most, [this] { return !events_.empty(); });
}

}  // namespace dlscope::app
