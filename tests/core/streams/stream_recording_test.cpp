#include "core/streams/stream_recording.h"

#include <catch2/catch_test_macros.hpp>

#include "core/streams/stream_order.h"

namespace {

using namespace dlscope::core;
using Kind = RecordedStream::Kind;

constexpr DeviceId kCuda{2, 0};
const RecordedStream kSide{Kind::numbered, kCuda, 0x5500, false};
const RecordedStream kDefault{Kind::numbered, kCuda, 1, false};
const RecordedStream kOwn{Kind::own, kCuda, 0, false};

RecordedStep step(StepKind kind, const RecordedStream& stream, RecordedMemory memory = {}, std::uint64_t event = 0) {
  return {
      .kind = kind, .stream = stream, .memory = memory, .event = event, .what = {}, .producer = {}, .consumer = {}, .asked = {}};
}

// A producer with work on its side stream, asked for the default one; the copy of what it gave.
void record_exchange(StreamRecording& recording, bool producer_orders) {
  const RecordedMemory x{recording.new_memory(), 0x7f00, 64};
  std::vector<RecordedStep> steps{step(StepKind::write, kSide, x)};
  if (producer_orders) {
    const auto event = recording.new_event();
    steps.push_back(step(StepKind::record, kSide, {}, event));
    steps.push_back(step(StepKind::wait, kDefault, {}, event));
  }
  steps.push_back(step(StepKind::hand_over, kSide, x));
  steps.back().asked = "1";
  recording.add(std::move(steps));
  const auto event = recording.new_event();
  recording.add({step(StepKind::record, kDefault, {}, event), step(StepKind::wait, kOwn, {}, event),
                 step(StepKind::read, kOwn, x), step(StepKind::synchronize, kOwn)});
}

// As a file is: written and read back.
StreamTrace replayed(const StreamRecording& recording) {
  const auto trace = read_stream_trace(stream_trace_json(recording.trace()));
  REQUIRE(trace);
  return *trace;
}

}  // namespace

TEST_CASE("nothing recorded is a trace with nothing to order", "[core][streams]") {
  const StreamRecording recording;
  const StreamTrace trace = replayed(recording);
  CHECK((trace.steps.empty() && trace.streams.empty() && trace.recorded_on.empty()));
  CHECK(judge_streams(trace).pairs.empty());
}

TEST_CASE("a recorded producer that orders its work is ordered, and one that does not races", "[core][streams]") {
  for (const bool orders : {true, false}) {
    StreamRecording recording;
    record_exchange(recording, orders);
    const StreamTrace trace = replayed(recording);
    CHECK(trace.recorded_on == "cuda:0");
    const StreamVerdict verdict = judge_streams(trace);
    CHECK(verdict.race == !orders);
    REQUIRE(verdict.deciding != kNotGiven);
    const std::string advice = race_advice(trace, verdict.pairs[verdict.deciding]);
    CHECK(advice.empty() == orders);
  }
}

TEST_CASE("memory of two hand-overs is two, also at one address", "[core][streams]") {
  StreamRecording recording;
  record_exchange(recording, true);
  const RecordedMemory again{recording.new_memory(), 0x7f00, 64};
  recording.add(step(StepKind::write, {Kind::numbered, kCuda, 0x6600, false}, again));
  CHECK_FALSE(judge_streams(replayed(recording)).race);
  CHECK(replayed(recording).buffers.size() == 2);
}

TEST_CASE("what is recorded is bounded, the newest stays, and hand-overs of host memory push nothing of a device's out",
          "[core][streams]") {
  StreamRecording recording;
  record_exchange(recording, false);
  for (int i = 0; i < 100000; ++i) {
    recording.add(step(StepKind::hand_over, {}, {recording.new_memory(), 0x10, 8}));
  }
  StreamTrace trace = replayed(recording);
  CHECK(trace.steps.size() == StreamRecording::kMaxHostSteps + 6);
  CHECK(judge_streams(trace).race);
  for (int i = 0; i < 10000; ++i) record_exchange(recording, true);
  trace = replayed(recording);
  CHECK(trace.buffers.size() <= kMaxTraceBuffers);
  CHECK(trace.steps.size() <= kMaxTraceSteps);
  CHECK_FALSE(judge_streams(trace).race);  // cut off where one exchange is only partly left
  for (int i = 0; i < 200; ++i)
    recording.add(
        step(StepKind::record, {Kind::numbered, kCuda, 0x100U + static_cast<unsigned>(i), false}, {}, recording.new_event()));
  trace = replayed(recording);
  CHECK(trace.streams.size() == kMaxTraceStreams);
  CHECK(trace.streams.back().value == "0x1c7");
  recording.clear();
  CHECK(recording.trace().steps.empty());
}

TEST_CASE("a trace is of one device, the one that took part last", "[core][streams]") {
  StreamRecording recording;
  record_exchange(recording, false);
  const RecordedMemory y{recording.new_memory(), 0x7f00, 64};
  recording.add(step(StepKind::write, {Kind::numbered, {2, 1}, 1, false}, y));
  const StreamTrace trace = replayed(recording);
  CHECK(trace.recorded_on == "cuda:1");
  CHECK(trace.steps.size() == 1);
}
