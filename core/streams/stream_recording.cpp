#include "core/streams/stream_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dlscope::core {
namespace {

StreamKind kind_of(const RecordedStream& stream) {
  if (stream.kind == RecordedStream::Kind::host) return StreamKind::host;
  if (stream.kind != RecordedStream::Kind::numbered) return StreamKind::non_blocking;
  if (stream.number <= 1) return StreamKind::default_;
  return stream.number == 2 || stream.blocking ? StreamKind::blocking : StreamKind::non_blocking;
}

std::string name_of(const RecordedStream& stream) {
  switch (stream.kind) {
    case RecordedStream::Kind::host:
      return "host";
    case RecordedStream::Kind::unknown:
      return "an unnamed stream";
    case RecordedStream::Kind::own:
      return "dlscope's stream";
    case RecordedStream::Kind::numbered:
      break;
  }
  if (stream.number <= 1) return "default stream";
  return stream.number == 2 ? std::string("per-thread default stream") : fmt::format("stream {:#x}", stream.number);
}

std::string value_of(const RecordedStream& stream) {
  if (stream.kind != RecordedStream::Kind::numbered) return {};
  return stream.number > 2 ? fmt::format("{:#x}", stream.number) : fmt::format("{}", stream.number);
}

// Fills a trace with steps from the newest to the oldest, as long as there is room.
class TraceBuilder {
 public:
  // False: there is no room for it.
  bool take(const RecordedStep& step) {
    const std::uint32_t stream = stream_of(step.stream);
    const std::uint32_t buffer = step.memory.id == 0 ? kNotGiven : buffer_of(step.memory);
    if (stream == kMaxTraceStreams || buffer == kMaxTraceBuffers || trace_.steps.size() == kMaxTraceSteps) return false;
    TraceStep made{.kind = step.kind,
                   .stream = stream,
                   .buffer = buffer,
                   .what = step.what,
                   .producer = step.producer,
                   .consumer = step.consumer,
                   .asked = step.asked};
    if (made.what.empty() && made.kind == StepKind::hand_over && kind_of(step.stream) == StreamKind::host)
      made.what = "host memory has no streams";
    for (std::string* const text : {&made.what, &made.producer, &made.consumer, &made.asked}) {
      if (text->size() > kMaxTraceText) text->resize(kMaxTraceText);
    }
    if (step.event != 0) made.event = number_in(events_, step.event);
    trace_.steps.push_back(std::move(made));
    return true;
  }

  [[nodiscard]] StreamTrace finish() {
    std::ranges::reverse(trace_.steps);
    std::ranges::reverse(trace_.streams);
    std::ranges::reverse(trace_.buffers);
    for (TraceStep& step : trace_.steps) {
      step.stream = static_cast<std::uint32_t>(trace_.streams.size()) - 1 - step.stream;
      if (step.buffer != kNotGiven) step.buffer = static_cast<std::uint32_t>(trace_.buffers.size()) - 1 - step.buffer;
    }
    return std::move(trace_);
  }

 private:
  static std::uint32_t number_in(std::vector<std::uint64_t>& known, std::uint64_t id) {
    const auto found = std::ranges::find(known, id);
    const auto number = static_cast<std::uint32_t>(found - known.begin());
    if (found == known.end()) known.push_back(id);
    return number;
  }
  // The index of the stream in the trace; kMaxTraceStreams: there is no room for another one.
  std::uint32_t stream_of(const RecordedStream& stream) {
    const auto found = std::ranges::find(streams_, stream);
    if (found != streams_.end()) return static_cast<std::uint32_t>(found - streams_.begin());
    const StreamKind kind = kind_of(stream);
    const bool only_one = kind == StreamKind::host || kind == StreamKind::default_;
    const auto same = std::ranges::find(trace_.streams, kind, &TraceStream::kind);
    if (only_one && same != trace_.streams.end()) return static_cast<std::uint32_t>(same - trace_.streams.begin());
    if (streams_.size() == kMaxTraceStreams) return kMaxTraceStreams;
    streams_.push_back(stream);
    trace_.streams.push_back({name_of(stream), value_of(stream), kind});
    return static_cast<std::uint32_t>(streams_.size() - 1);
  }
  std::uint32_t buffer_of(const RecordedMemory& memory) {
    const std::uint32_t number = number_in(memories_, memory.id);
    if (number < trace_.buffers.size() || number == kMaxTraceBuffers) return number;
    trace_.buffers.push_back({fmt::format("#{} at {:#x}", memory.id, memory.address), memory.bytes});
    return number;
  }

  StreamTrace trace_;
  std::vector<RecordedStream> streams_;  // by index into trace_.streams
  std::vector<std::uint64_t> memories_, events_;
};

}  // namespace

std::uint64_t StreamRecording::new_memory() {
  const std::lock_guard lock(mutex_);
  return ++memories_;
}

std::uint64_t StreamRecording::new_event() {
  const std::lock_guard lock(mutex_);
  return ++events_;
}

void StreamRecording::put(RecordedStep step) {
  const bool on_host = step.stream.kind == RecordedStream::Kind::host;
  if (!on_host) last_device_ = step.stream.device;
  std::deque<Numbered>& kept = on_host ? on_host_ : on_devices_;
  if (kept.size() == (on_host ? kMaxHostSteps : kMaxDeviceSteps)) kept.pop_front();
  kept.push_back({++steps_, std::move(step)});
}

void StreamRecording::add(std::vector<RecordedStep> steps) {
  const std::lock_guard lock(mutex_);
  for (RecordedStep& step : steps) put(std::move(step));
}

void StreamRecording::add(RecordedStep step) {
  const std::lock_guard lock(mutex_);
  put(std::move(step));
}

std::vector<RecordedStream> StreamRecording::streams_of(DeviceId device) const {
  const std::lock_guard lock(mutex_);
  std::vector<RecordedStream> streams;
  for (const Numbered& each : on_devices_) {
    const RecordedStream& stream = each.step.stream;
    if (stream.device == device && std::ranges::find(streams, stream) == streams.end()) streams.push_back(stream);
  }
  return streams;
}

StreamTrace StreamRecording::trace() const {
  const std::lock_guard lock(mutex_);
  TraceBuilder builder;
  auto device = on_devices_.rbegin();
  auto host = on_host_.rbegin();
  while (device != on_devices_.rend() || host != on_host_.rend()) {
    const bool is_device = device != on_devices_.rend() && (host == on_host_.rend() || device->number > host->number);
    const RecordedStep& step = is_device ? (device++)->step : (host++)->step;
    if (is_device && step.stream.device != *last_device_) continue;
    if (!builder.take(step)) break;
  }
  StreamTrace trace = builder.finish();
  trace.title = "Hand-overs that dlscope saw";
  trace.recorded_on = last_device_ ? device_name(*last_device_) : trace.steps.empty() ? std::string() : "the host's memory";
  return trace;
}

void StreamRecording::clear() {
  const std::lock_guard lock(mutex_);
  on_devices_.clear();
  on_host_.clear();
  last_device_.reset();
}

}  // namespace dlscope::core
