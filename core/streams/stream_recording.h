// StreamRecording: records what hand-overs between streams did while they happen; trace() returns it as a StreamTrace. Contains
// only steps that the recording code really observed. Bounded: the oldest steps are dropped. Hand-overs of host memory, which
// have no stream and may come by the thousand, have a bound of their own, so that they do not displace the others.
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

// A stream of a device as DLPack numbers it (1: legacy default stream, 2: per-thread default stream, else a handle), or the host.
struct RecordedStream {
  enum class Kind : std::uint8_t {
    host,
    numbered,
    unknown,  // a stream of a library that does not say which
    own,      // the stream of dlscope's own copies
  };
  Kind kind = Kind::host;
  DeviceId device = kCpuDevice;
  std::uint64_t number = 0;
  bool blocking = false;  // for a handle: the stream is synchronised with the legacy default stream

  friend bool operator==(const RecordedStream&, const RecordedStream&) = default;
};

// The memory of one hand-over. Two hand-overs never share an id, even
// at the same address, because it may have been freed in between.
struct RecordedMemory {
  std::uint64_t id = 0;  // from new_memory(); 0: none
  Address address = 0;
  std::uint64_t bytes = 0;
};

struct RecordedStep {
  StepKind kind{};
  RecordedStream stream;
  RecordedMemory memory;    // write, read, hand_over
  std::uint64_t event = 0;  // record, wait: from new_event()
  std::string what, producer, consumer, asked;
};

class StreamRecording {
 public:
  [[nodiscard]] std::uint64_t new_memory();
  [[nodiscard]] std::uint64_t new_event();
  // Adds steps that belong together, without steps of other threads in between.
  void add(std::vector<RecordedStep> steps);
  void add(RecordedStep step);

  // The streams of the device that occur in the recording.
  [[nodiscard]] std::vector<RecordedStream> streams_of(DeviceId device) const;
  // A trace of the newest steps of the device used last and of the host, as many as a trace may have.
  [[nodiscard]] StreamTrace trace() const;
  void clear();

  static constexpr std::size_t kMaxDeviceSteps = 1500, kMaxHostSteps = 100;

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
