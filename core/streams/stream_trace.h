// StreamTrace: a recording of a hand-over between streams, step by step in the order in which the host issued the steps: reads
// and writes of memory on streams, events recorded and waited for, and the stream argument of each DLPack call. No device is used
// to judge it. The JSON form is documented in docs/stream-traces.md; it is untrusted, and everything in it is checked.
// thread: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::core {

enum class StreamKind : std::uint8_t {
  host,          // the host's own thread: a step is done before the next one is issued
  default_,      // CUDA's legacy default stream: waits for every blocking stream, and these wait for it
  blocking,      // made by cudaStreamCreate, or the per-thread default stream
  non_blocking,  // ordered with other streams only by events: the side streams of PyTorch and CuPy
};

struct TraceStream {
  std::string name;   // "PyTorch's side stream"
  std::string value;  // the value of __dlpack__(stream=...) that means this stream; "": not known
  StreamKind kind{};
};

struct TraceBuffer {
  std::string name;
  std::uint64_t bytes = 0;
};

enum class StepKind : std::uint8_t {
  write,
  read,
  record,       // an event is recorded on the stream
  wait,         // the stream waits for an event
  synchronize,  // the host waits for the stream
  hand_over,    // __dlpack__ was called
};
[[nodiscard]] const char* step_kind_name(StepKind kind);

inline constexpr std::uint32_t kNotGiven = ~std::uint32_t{0};

struct TraceStep {
  StepKind kind{};
  std::uint32_t stream = kNotGiven;          // index into StreamTrace::streams; of a hand-over the producer's
  std::uint32_t buffer = kNotGiven;          // write, read, hand_over: index into StreamTrace::buffers
  std::uint32_t event = kNotGiven;           // record, wait: a number that identifies the event
  std::string what;                         // the code that did it: "x.fill_(1)"
  std::string producer, consumer;           // hand_over: libraries
  std::string asked;                        // hand_over: the stream argument, as Python writes it: "-1", "None", "1"
  std::int64_t begin_ns = -1, end_ns = -1;  // measured on the device; -1: not measured. For display only
};

struct StreamTrace {
  std::string title, recorded_on, recorded_at;  // on: name of the device; at: time; both may be ""
  std::vector<TraceStream> streams;
  std::vector<TraceBuffer> buffers;
  std::vector<TraceStep> steps;  // in the order in which the host issued them
};

inline constexpr std::size_t kMaxTraceBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxTraceStreams = 64, kMaxTraceBuffers = 256, kMaxTraceSteps = 2000, kMaxTraceText = 500;

// Fails with a message that says what is wrong and where: "step 4: stream 'side' is none of the trace's".
[[nodiscard]] Result<StreamTrace> read_stream_trace(std::string_view json);
// The JSON of a trace; read_stream_trace() gives the same trace again.
[[nodiscard]] std::string stream_trace_json(const StreamTrace& trace);

}  // namespace dlscope::core
