// What the hand-overs of this process say and do about streams, noted for dlscope.stream_trace() (docs/stream-traces.md).
// Only what was seen is noted: which stream a call of __dlpack__ named, and by the driver's word on the producer's stream and on the named
// one before and after the call, whether somebody was made to wait. Nothing is waited for, and no context is made.
// thread: GIL held, unless said otherwise.
#pragma once

#include <optional>
#include <string>

#include "core/devices/stream_state.h"
#include "core/streams/stream_recording.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// What was recorded in this process. thread: any.
[[nodiscard]] core::StreamRecording& stream_recording();

// Calls of __dlpack__ made meanwhile are not noted: looks and rehearsals of our own.
class StreamsUnrecorded {
 public:
  StreamsUnrecorded();
  ~StreamsUnrecorded();
  StreamsUnrecorded(const StreamsUnrecorded&) = delete;
  StreamsUnrecorded& operator=(const StreamsUnrecorded&) = delete;
};

// The keyword `stream` of a call of __dlpack__.
struct AskedStream {
  std::string text;                   // as Python writes it; "": it was not passed
  std::optional<std::int64_t> value;  // none: not passed, None, or no number
};
[[nodiscard]] AskedStream asked_stream(PyObject* value);  // null: not passed

struct HandOverParties {
  std::string producer, consumer;  // "torch.Tensor", "dlscope"
};

// One call of __dlpack__ of somebody else's, from right before it to right after it.
class StreamWatch {
 public:
  // device: as the producer claims it; nullopt: nobody asked, which means host memory here. May leave a KeyboardInterrupt set.
  StreamWatch(PyObject* producer, const std::optional<core::DeviceId>& device, AskedStream asked);
  // The call gave this memory, which is on the device it claimed.
  void note(HandOverParties parties, core::RecordedMemory memory);

 private:
  void look_at_streams(PyObject* producer);
  // Steps and the words of the hand-over itself.
  std::string add_what_was_seen(const core::RecordedMemory& memory, std::vector<core::RecordedStep>& before,
                                std::vector<core::RecordedStep>& after);
  [[nodiscard]] core::StreamState state_of(const core::RecordedStream& stream) const;
  [[nodiscard]] bool ordered_by_rule() const;  // the same stream, or two that wait for each other

  core::DeviceId device_;
  AskedStream asked_;
  std::optional<core::CudaDriver> driver_;
  std::optional<core::RecordedStream> producer_, named_;
  core::StreamState producer_before_ = core::StreamState::unknown, named_before_ = core::StreamState::unknown;
};

// A hand-over that carries no stream: of host memory, by an exchange table, a capsule that somebody else asked for.
void note_hand_over_without_stream(HandOverParties parties, core::DeviceId device, core::RecordedMemory memory,
                                   const AskedStream& asked, std::string_view what);
// dlscope handed out memory that is ready on the default stream. waits: that stream was made to wait for it.
void note_own_hand_over(std::string producer, core::DeviceId device, core::RecordedMemory memory, const AskedStream& asked,
                        std::optional<std::uint64_t> waits);
// A copy of dlscope's own by the driver, which was waited for. ids 0: the memory is not on this device. thread: any, no GIL needed.
struct DriverCopy {
  core::DeviceId device;
  bool after_default_stream =
      false;  // its stream was made to wait for it; else every stream was waited for where it reads the device
  core::RecordedMemory from, to;
};
void note_driver_copy(const DriverCopy& copy);

}  // namespace dlscope::embed
