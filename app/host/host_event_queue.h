// HostEventQueue: events from the threads of a HostClient to its user. Adjacent output is joined; the size is bounded.
// thread: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "app/host/host_client.h"

namespace dlscope::app {

class HostEventQueue {
 public:
  explicit HostEventQueue(std::function<void()> wake) : wake_(std::move(wake)) {}

  // message_bytes: of the message it came in, which is about what it takes in memory.
  void push(HostEvent event, std::size_t message_bytes = 0);
  // True when so much waits to be drained that pushers should pause: a host that floods its viewer is then held up by its full
  // ring.
  [[nodiscard]] bool full() const;
  // Text of the host's streams; returns how many more bytes may follow.
  std::size_t push_output(std::string_view text);
  // freed: set to true when output was full before, so the caller must tell its reader to continue.
  [[nodiscard]] std::vector<HostEvent> drain(bool& freed);
  void wait(std::chrono::milliseconds at_most);
  // From here on `wake` is not called any more: its owner is gone.
  void disconnect();

 private:
  void announce();

  std::mutex waking_;  // wake_
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HostEvent> events_;
  std::size_t bytes_ = 0;  // of events_, about; without output
  std::size_t output_bytes_ = 0;
  bool output_full_ = false;
};

}  // namespace dlscope::app
