// DeviceQuestions: requests to read the memory of the host's CUDA devices. Readers on other threads ask and block; the UI thread
// sends the requests, because it owns the link to the host. When the host is gone or takes no work, the readers get no answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "app/host/device_reader.h"
#include "app/window/host/host_link.h"

namespace dlscope::app {

class DeviceQuestions {
 public:
  // wake: called from any thread when there is a request to send.
  explicit DeviceQuestions(std::function<void()> wake);
  ~DeviceQuestions();
  DeviceQuestions(const DeviceQuestions&) = delete;
  DeviceQuestions& operator=(const DeviceQuestions&) = delete;

  // The function to ask with. It blocks until answered, and may outlive this object. thread: any but the UI's.
  [[nodiscard]] DeviceReader::Ask ask() const;

  // thread: UI, all of these.
  void put_to(HostLink& host);
  // False: `end` answers none of these requests.
  bool take(const HostWorkEnded& end);
  // Ends every open request without an answer and refuses new ones, until begin().
  void end();
  void begin();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace dlscope::app
