// Records what the hand-overs of this process say and do about streams, for dlscope.stream_trace() (docs/stream-traces.md). Only
// observations are recorded: the stream that a call of __dlpack__ named and, from the driver, the state of the producer's stream
// and of the named one before and after the call, which tells whether a stream was made to wait. Waits for nothing and creates no
// context.
// thread: GIL held, unless stated otherwise.
#pragma once

#include <optional>
#include <string>

#include "core/devices/stream_state.h"
#include "core/streams/stream_recording.h"
#include "embed/py_ref.h"

namespace dlscope::embed {

// The recording of this process. thread: any.
[[nodiscard]] core::StreamRecording& stream_recording();

// While it exists, calls of __dlpack__ are not recorded: our own looks and rehearsals.
class StreamsUnrecorded {
 public:
  StreamsUnrecorded();
  ~StreamsUnrecorded();
  StreamsUnrecorded(const StreamsUnrecorded&) = delete;
  StreamsUnrecorded& operator=(const StreamsUnrecorded&) = delete;
};

// Whether this thread is inside one: what it asks a producer for is no hand-over.
[[nodiscard]] bool looks_itself();

// The `stream` keyword of a call of __dlpack__.
struct AskedStream {
  std::string text;                   // as Python writes it; "": not passed
  std::optional<std::int64_t> value;  // nullopt: not passed, None, or not a number
};
[[nodiscard]] AskedStream asked_stream(PyObject* value);  // value: null: not passed.

struct HandOverParties {
  std::string producer, consumer;  // "torch.Tensor", "dlscope"
};

// Observes one foreign call of __dlpack__, from directly before to directly after it.
class StreamWatch {
 public:
  // device: as claimed by the producer; nullopt: it was not asked, which means host memory here. May leave a KeyboardInterrupt
  // set.
  StreamWatch(PyObject* producer, const std::optional<core::DeviceId>& device, AskedStream asked);
  // Records the hand-over: the call gave this memory, on the claimed device.
  void note(HandOverParties parties, core::RecordedMemory memory);

 private:
  void look_at_streams(PyObject* producer);
  // Adds the observed steps; returns the text for the hand-over itself.
  std::string add_what_was_seen(const core::RecordedMemory& memory, std::vector<core::RecordedStep>& before,
                                std::vector<core::RecordedStep>& after);
  [[nodiscard]] core::StreamState state_of(const core::RecordedStream& stream) const;
  [[nodiscard]] bool ordered_by_rule() const;  // equal streams, or two that implicitly wait for each other

  core::DeviceId device_;
  AskedStream asked_;
  std::optional<core::CudaDriver> driver_;
  std::optional<core::RecordedStream> producer_, named_;
  core::StreamState producer_before_ = core::StreamState::unknown, named_before_ = core::StreamState::unknown;
};

// Records a hand-over without a stream: of host memory, by an exchange table, or a capsule that other code requested.
void note_hand_over_without_stream(HandOverParties parties, core::DeviceId device, core::RecordedMemory memory,
                                   const AskedStream& asked, std::string_view what);
// Records that dlscope handed out memory that is ready on the default stream. waits: the stream that was made to wait for it.
void note_own_hand_over(std::string producer, core::DeviceId device, core::RecordedMemory memory, const AskedStream& asked,
                        std::optional<std::uint64_t> waits);
// Records that dlscope had the default stream wait for a stream that an array interface named.
void note_default_stream_waits(core::DeviceId device, std::uint64_t stream);
// A copy that dlscope made by the driver and waited for. ids 0: the memory is not on this device. thread: any, without the GIL.
struct DriverCopy {
  core::DeviceId device;
  bool after_default_stream =
      false;  // what the copy waited for, where it read the device: its default stream; false: all its streams
  core::RecordedMemory from, to;
};
void note_driver_copy(const DriverCopy& copy);

}  // namespace dlscope::embed
