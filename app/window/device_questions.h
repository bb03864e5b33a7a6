// DeviceQuestions: what readers on other threads want to know of the memory of the host's CUDA devices, put to the host by the UI thread.
// A reader waits for its answer; where the host is gone or will not answer, it gets none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "app/host/device_reader.h"
#include "app/window/host_link.h"

namespace dlscope::app {

class DeviceQuestions {
 public:
  // wake: from any thread, when there is something to put to the host.
  explicit DeviceQuestions(std::function<void()> wake);
  ~DeviceQuestions();
  DeviceQuestions(const DeviceQuestions&) = delete;
  DeviceQuestions& operator=(const DeviceQuestions&) = delete;

  // Blocks. It may outlive this. thread: any but the UI's.
  [[nodiscard]] DeviceReader::Ask ask() const;

  // thread: UI, all of these.
  void put_to(HostLink& host);
  // False: it answers none of them.
  bool take(const HostWorkEnded& end);
  // Nothing is asked from now on, and who waits gets no answer; until begin().
  void end();
  void begin();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace dlscope::app
