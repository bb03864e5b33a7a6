#include "core/streams/stream_trace.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

namespace {

using namespace dlscope::core;

const std::string kTrace = R"json({
  "format": "dlscope-stream-trace", "format_version": 1, "title": "t", "recorded_on": "NVIDIA H100", "recorded_at": "2026-11-22",
  "streams": [{"name": "side", "kind": "non_blocking", "value": "0x55"}, {"name": "default", "kind": "default", "value": "1"},
              {"name": "host", "kind": "host"}],
  "buffers": [{"name": "x", "bytes": 64}],
  "steps": [{"kind": "write", "stream": "side", "buffer": "x", "what": "x.fill_(1)", "begin_ns": 10, "end_ns": 20},
            {"kind": "record", "stream": "side", "event": "e"}, {"kind": "wait", "stream": "default", "event": "e"},
            {"kind": "hand_over", "stream": "side", "buffer": "x", "producer": "torch", "consumer": "cupy", "asked": "1"},
            {"kind": "synchronize", "stream": "default"}, {"kind": "read", "stream": "host", "buffer": "x"}]})json";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kTrace;
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string why_not(const std::string& text) {
  const auto trace = read_stream_trace(text);
  return trace ? "it was read" : trace.error().message;
}

}  // namespace

TEST_CASE("a trace that is written reads back as it was", "[core][streams]") {
  const auto trace = read_stream_trace(kTrace);
  REQUIRE(trace);
  const std::string written = stream_trace_json(*trace);
  const auto again = read_stream_trace(written);
  REQUIRE(again);
  CHECK(stream_trace_json(*again) == written);
  REQUIRE(again->steps.size() == trace->steps.size());
  for (std::size_t i = 0; i < trace->steps.size(); ++i) {
    const TraceStep &a = trace->steps[i], &b = again->steps[i];
    CHECK((a.kind == b.kind && a.stream == b.stream && a.buffer == b.buffer && a.event == b.event && a.what == b.what));
    CHECK((a.producer == b.producer && a.consumer == b.consumer && a.asked == b.asked && a.begin_ns == b.begin_ns &&
           a.end_ns == b.end_ns));
  }
  CHECK((again->title == trace->title && again->recorded_at == trace->recorded_at && again->buffers[0].bytes == 64));
  CHECK((again->streams[0].kind == StreamKind::non_blocking && again->streams[1].value == "1"));
  StreamTrace hostile;
  hostile.title = "\xff \"quoted\"\n";
  CHECK(read_stream_trace(stream_trace_json(hostile))->title == "\xEF\xBF\xBD \"quoted\"\n");
}

TEST_CASE("a trace of streams is read field by field", "[core][streams]") {
  const auto trace = read_stream_trace(kTrace);
  REQUIRE(trace);
  CHECK(trace->title == "t");
  CHECK(trace->recorded_on == "NVIDIA H100");
  REQUIRE(trace->streams.size() == 3);
  CHECK(trace->streams[0].kind == StreamKind::non_blocking);
  CHECK(trace->streams[0].value == "0x55");
  CHECK(trace->streams[1].kind == StreamKind::default_);
  REQUIRE(trace->steps.size() == 6);
  CHECK(trace->steps[0].begin_ns == 10);
  CHECK(trace->steps[0].end_ns == 20);
  CHECK(trace->steps[1].begin_ns == -1);
  CHECK(trace->steps[1].event == trace->steps[2].event);
  CHECK(trace->steps[3].asked == "1");
  CHECK(trace->steps[3].consumer == "cupy");
  CHECK(trace->steps[5].stream == 2);
}

TEST_CASE("what is wrong with a trace is said with its place", "[core][streams]") {
  CHECK(why_not("{") == "it is not JSON, or nested deeper than a trace of streams is");
  CHECK(why_not("[[[[[[[[]]]]]]]]") == "it is not JSON, or nested deeper than a trace of streams is");
  CHECK(why_not("[]") == "it is not a trace of streams (\"format\")");
  CHECK(why_not(with("dlscope-stream-trace", "dlscope-report")) == "it is not a trace of streams (\"format\")");
  CHECK(why_not(with("\"format_version\": 1", "\"format_version\": 2")) == "its \"format_version\" is not 1, the only one known");
  CHECK(why_not(with("\"streams\"", "\"lanes\"")) == "it has no list \"streams\"");
  CHECK(why_not(with("\"kind\": \"host\"", "\"kind\": \"default\"")) == "stream 2: a second stream of the kind default");
  CHECK(why_not(with("\"name\": \"host\"", "\"name\": \"side\"")) == "stream 2: a second 'side'");
  CHECK(why_not(with("\"non_blocking\"", "\"fast\"")) == "stream 0: \"kind\" is none of host, default, blocking, non_blocking");
  CHECK(why_not(with("\"bytes\": 64", "\"bytes\": -64")) == "buffer 0: \"bytes\" is not a size");
  CHECK(why_not(with("\"write\", \"stream\": \"side\"", "\"write\", \"stream\": \"sid\"")) ==
        "step 0: stream 'sid' is none of the trace's");
  CHECK(why_not(with("\"buffer\": \"x\", \"what\"", "\"what\"")) == "step 0: buffer '' is none of the trace's");
  CHECK(why_not(with("\"what\": \"x.fill_(1)\"", "\"what\": 5")) == "step 0: \"what\" is not a text");
  CHECK(why_not(with("x.fill_(1)", std::string(501, 'x'))) == "step 0: \"what\" is longer than 500 bytes");
  CHECK(why_not(with("\"end_ns\": 20", "\"end_ns\": 5")) == "step 0: ends before it begins");
  CHECK(why_not(with("\"begin_ns\": 10, ", "")) == "step 0: ends before it begins");
  CHECK(why_not(with("\"begin_ns\": 10", "\"begin_ns\": 1e300")) == "step 0: \"begin_ns\" is not a time in nanoseconds");
  CHECK(why_not(with("\"record\", \"stream\": \"side\", \"event\": \"e\"", "\"record\", \"stream\": \"side\"")) ==
        "step 1: has no \"event\"");
  CHECK(why_not(with("\"wait\", \"stream\": \"default\"", "\"wait\", \"stream\": \"host\"")) ==
        "step 2: the host records no events and waits for streams (synchronize)");
  CHECK(why_not(with("\"synchronize\"", "\"sleep\"")) ==
        "step 4: \"kind\" is none of write, read, record, wait, synchronize, hand_over");
  CHECK(why_not(with("{\"kind\": \"synchronize\", \"stream\": \"default\"}", "7")) == "step 4: is no object");
  CHECK(why_not(std::string(kMaxTraceBytes + 1, ' ')).ends_with("this has 4194305 bytes"));
  std::string many = kTrace;
  const auto end = many.rfind(']');
  for (int i = 0; i < 2000; ++i) many.insert(end, ", {\"kind\": \"synchronize\", \"stream\": \"side\"}");
  CHECK(why_not(many) == "\"steps\" has 2006 entries; 2000 is the most");
}

TEST_CASE("a trace cut off or changed anywhere is read or refused, and nothing else", "[core][streams]") {
  for (std::size_t length = 0; length < kTrace.size(); ++length) CHECK_FALSE(read_stream_trace(kTrace.substr(0, length)));
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = kTrace;
    for (std::uint32_t changes = 1 + static_cast<std::uint32_t>(random() % 4); changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, 1 + random() % 20);
      } else if (random() % 2 == 0) {
        text.insert(at, text.substr(random() % text.size(), random() % 30));
      } else {
        text[at] = static_cast<char>(random());
      }
      if (text.empty()) break;
    }
    const auto trace = read_stream_trace(text);
    if (!trace) {
      ++refused;
      CHECK_FALSE(trace.error().message.empty());
      continue;
    }
    for (const TraceStep& step : trace->steps) {
      REQUIRE(step.stream < trace->streams.size());
      const bool has_buffer = step.kind == StepKind::write || step.kind == StepKind::read || step.kind == StepKind::hand_over;
      REQUIRE((!has_buffer || step.buffer < trace->buffers.size()));
    }
  }
  CHECK(refused > 1000);
}
