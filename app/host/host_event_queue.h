// HostEventQueue: what the threads of a HostClient found out, for the one that asked. Output is joined and bounded.
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
  // Text of the host's streams; returns how much more there is room for.
  std::size_t push_output(std::string_view text);
  // freed: whether output was full before, so that its reader has to be told.
  [[nodiscard]] std::vector<HostEvent> drain(bool& freed);
  void wait(std::chrono::milliseconds at_most);

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HostEvent> events_;
  std::size_t output_bytes_ = 0;
  bool output_full_ = false;
};

}  // namespace dlscope::app
