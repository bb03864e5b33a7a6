// HostEventQueue: what the threads of a HostClient found out, for the one that asked. Output is joined; everything is bounded.
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

  void push(HostEvent event);
  // So much waits for a drain that whoever pushes should wait: a host that floods its viewer is held up by its ring then.
  [[nodiscard]] bool full() const;
  // Text of the host's streams; returns how much more there is room for.
  std::size_t push_output(std::string_view text);
  // freed: whether output was full before, so that its reader has to be told.
  [[nodiscard]] std::vector<HostEvent> drain(bool& freed);
  void wait(std::chrono::milliseconds at_most);
  // From here on nobody is woken: who asked is gone.
  void disconnect();

 private:
  void announce();

  std::mutex waking_;  // wake_
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HostEvent> events_;
  std::size_t bytes_ = 0;  // of events_, without output
  std::size_t output_bytes_ = 0;
  bool output_full_ = false;
};

}  // namespace dlscope::app
