// StreamRecording: what hand-overs between streams were seen to do, kept while they happen, as a StreamTrace when somebody asks.
// It says nothing that was not seen: whoever records decides that. Bounded: the oldest steps go first; hand-overs of host memory, which
// carry no stream and come by the thousand, have a bound of their own.
// thread: any.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/streams/stream_trace.h"
#include "core/tensor/device_id.h"

namespace dlscope::core {

// A stream of a device as DLPack numbers it (1: the legacy default stream, 2: the one per thread, else a handle), or the host.
struct RecordedStream {
  enum class Kind : std::uint8_t {
    host,
    numbered,
    unknown,  // somebody's: nobody says which
    own,      // dlscope's, of its copies
  };
  Kind kind = Kind::host;
  DeviceId device = kCpuDevice;
  std::uint64_t number = 0;
  bool blocking = false;  // of a handle: made to wait for the legacy default stream

  friend bool operator==(const RecordedStream&, const RecordedStream&) = default;
};

// Memory as one hand-over brought it. Two hand-overs have two, also where they lie at one address: it may have been freed between them.
struct RecordedMemory {
  std::uint64_t id = 0;  // of new_memory(); 0: none
  Address address = 0;
  std::uint64_t bytes = 0;
};

struct RecordedStep {
  StepKind kind{};
  RecordedStream stream;
  RecordedMemory memory;    // write, read, hand_over
  std::uint64_t event = 0;  // record, wait: of new_event()
  std::string what, producer, consumer, asked;
};

class StreamRecording {
 public:
  [[nodiscard]] std::uint64_t new_memory();
  [[nodiscard]] std::uint64_t new_event();
  // Steps that belong together, in their order, with nothing of another thread's between.
  void add(std::vector<RecordedStep> steps);
  void add(RecordedStep step);

  // Those of the device that are in the recording.
  [[nodiscard]] std::vector<RecordedStream> streams_of(DeviceId device) const;
  // The newest steps that a trace has room for, of the device that took part last and of the host.
  [[nodiscard]] StreamTrace trace() const;
  void clear();

  static constexpr std::size_t kMostDeviceSteps = 1500, kMostHostSteps = 100;

 private:
  struct Numbered {
    std::uint64_t number = 0;
    RecordedStep step;
  };
  void put(RecordedStep step);  // needs mutex_
  mutable std::mutex mutex_;
  std::deque<Numbered> on_devices_, on_host_;
  std::optional<DeviceId> last_device_;
  std::uint64_t steps_ = 0, memories_ = 0, events_ = 0;
};

}  // namespace dlscope::core
