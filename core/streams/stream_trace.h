// StreamTrace: what a hand-over between streams of a device did, step by step as the host issued it: who wrote and read which memory on
// which stream, what was recorded and waited for, what each DLPack handshake carried. A recording, never a look at a device.
// Reading one from JSON is reading a file of somebody else's: everything is checked, nothing is believed (docs/stream-traces.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dlscope::core {

enum class StreamKind : std::uint8_t {
  host,          // the host's own thread: what it does is done when the next step is issued
  default_,      // CUDA's legacy default stream: waits for every blocking stream, and they for it
  blocking,      // as cudaStreamCreate makes it, and the per-thread default stream
  non_blocking,  // ordered by nothing but events: every side stream of PyTorch's and CuPy's
};

struct TraceStream {
  std::string name;   // "PyTorch's side stream"
  std::string value;  // as __dlpack__(stream=...) would name it; "": nobody asked
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
  std::uint32_t stream = kNotGiven;          // of StreamTrace::streams; a hand-over has the producer's
  std::uint32_t buffer = kNotGiven;          // write, read, hand_over
  std::uint32_t event = kNotGiven;           // record, wait: a number that names the event
  std::string what;                         // "x.fill_(1)"; who did it
  std::string producer, consumer;           // hand_over: libraries
  std::string asked;                        // hand_over: the stream argument, as Python writes it: "-1", "None", "1"
  std::int64_t begin_ns = -1, end_ns = -1;  // as measured on the device; -1: it was not
};

struct StreamTrace {
  std::string title, recorded_on, recorded_at;  // on: the device's name; both may be ""
  std::vector<TraceStream> streams;
  std::vector<TraceBuffer> buffers;
  std::vector<TraceStep> steps;  // in the order in which the host issued them
};

inline constexpr std::size_t kMostTraceBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMostTraceStreams = 64, kMostTraceBuffers = 256, kMostTraceSteps = 2000, kMostTraceText = 500;

// Fails with what is wrong and where: "step 4: stream 'side' is none of the trace's".
[[nodiscard]] Result<StreamTrace> read_stream_trace(std::string_view json);
// What read_stream_trace() reads back as the same trace.
[[nodiscard]] std::string stream_trace_json(const StreamTrace& trace);

}  // namespace dlscope::core
