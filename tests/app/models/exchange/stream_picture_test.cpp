#include "app/models/exchange/stream_picture.h"

#include <catch2/catch_test_macros.hpp>

namespace {

using namespace dlscope;

core::StreamTrace trace_of(const char* steps) {
  const std::string text = std::string(R"json({"format": "dlscope-stream-trace", "format_version": 1, "recorded_on": "an H100",
    "streams": [{"name": "side", "kind": "non_blocking"}, {"name": "default", "kind": "default", "value": "1"}, {"name": "unused", "kind": "blocking"}],
    "buffers": [{"name": "x"}], "steps": [)json") +
                           steps + "]}";
  return core::read_stream_trace(text).value();
}

app::StreamPicture picture_of(const core::StreamTrace& trace) { return app::picture_of(trace, core::judge_streams(trace)); }

}  // namespace

TEST_CASE("measured steps stand where they were, and a race is marked on both", "[app][exchange]") {
  const core::StreamTrace trace = trace_of(R"json(
    {"kind": "write", "stream": "side", "buffer": "x", "begin_ns": 100, "end_ns": 200},
    {"kind": "hand_over", "stream": "side", "buffer": "x", "producer": "torch", "consumer": "cupy", "asked": "-1"},
    {"kind": "read", "stream": "default", "buffer": "x", "begin_ns": 150, "end_ns": 300})json");
  const app::StreamPicture picture = picture_of(trace);
  CHECK(picture.measured);
  CHECK(picture.span_ns == 200);
  REQUIRE(picture.lanes.size() == 2);  // a stream without steps has no lane
  CHECK(picture.lanes[0].title == "side");
  REQUIRE(picture.blocks.size() == 2);
  CHECK((picture.blocks[0].begin == 0.0F && picture.blocks[0].end == 0.5F && picture.blocks[0].in_race));
  CHECK((picture.blocks[1].begin == 0.25F && picture.blocks[1].end == 1.0F && picture.blocks[1].in_race));
  REQUIRE(picture.marks.size() == 1);
  CHECK(picture.marks[0].at == 0.25F);  // before what was issued next began
  CHECK(app::stream_verdict_word(core::judge_streams(trace)) == "RACE");
  CHECK(app::step_text(trace, 1) == "2. torch handed x to cupy: stream=-1");
  CHECK(app::recording_text(trace) ==
        "Replayed, not observed: a recording made on an H100. What it says is judged by rule; nothing of it is seen now.");
}

TEST_CASE("an arrow leads from the event to who waited for it, never back in time", "[app][exchange]") {
  const char* const steps = R"json(
    {"kind": "write", "stream": "side", "buffer": "x", "begin_ns": 0, "end_ns": 60},
    {"kind": "record", "stream": "side", "event": "e"}, {"kind": "wait", "stream": "default", "event": "e"},
    {"kind": "read", "stream": "default", "buffer": "x", "begin_ns": 80, "end_ns": 100})json";
  const app::StreamPicture picture = picture_of(trace_of(steps));
  REQUIRE(picture.arrows.size() == 1);
  CHECK((picture.arrows[0].from_lane == 0 && picture.arrows[0].to_lane == 1));
  CHECK((picture.arrows[0].from == 0.6F && picture.arrows[0].to == 0.6F));
  CHECK_FALSE(picture.blocks[0].in_race);
  CHECK(app::stream_verdict_word(core::judge_streams(trace_of(steps))) == "ORDERED");
}

TEST_CASE("without times the order of issue is the picture", "[app][exchange]") {
  const app::StreamPicture picture = picture_of(trace_of(R"json(
    {"kind": "write", "stream": "side", "buffer": "x"}, {"kind": "synchronize", "stream": "side"},
    {"kind": "read", "stream": "default", "buffer": "x", "begin_ns": 80, "end_ns": 100}, {"kind": "wait", "stream": "side", "event": "never"})json"));
  CHECK_FALSE(picture.measured);
  CHECK(picture.blocks[0].end == 0.25F);
  CHECK(picture.blocks[1].begin == 0.5F);
  CHECK(picture.arrows.empty());
  CHECK(app::stream_verdict_word(core::judge_streams(trace_of(""))) == "NOTHING TO ORDER");
}

TEST_CASE("a file that is no trace is refused with its name", "[app][exchange]") {
  CHECK(app::read_stream_view("/nowhere/x.streams.json").error().message == "/nowhere/x.streams.json: there is no such file");
  CHECK(app::read_stream_view("/proc").error().message == "/proc is not a regular file");
  CHECK((app::is_stream_trace_file("a/b.streams.json") && !app::is_stream_trace_file("b.json")));
}
