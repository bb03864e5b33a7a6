// A recorded trace of streams as a picture: a lane for each stream that has steps, a block for each access, an arrow from each
// recorded event to its waiter. Horizontal positions are fractions of the width (0 to 1): by recorded times where every access
// has them, else by order of issue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/streams/stream_order.h"

namespace dlscope::app {

struct StreamLane {
  std::uint32_t stream = 0;
  std::string title, meaning;  // "side", "non-blocking: ordered by nothing but events"
};
struct StreamBlock {
  std::uint32_t lane = 0, step = 0;
  float begin = 0, end = 0;
  bool in_race = false;  // one of the two racing steps of the verdict
};
// A hand-over, an event or a wait: it has a position but no duration.
struct StreamMark {
  std::uint32_t lane = 0, step = 0;
  float at = 0;
};
struct StreamArrow {
  std::uint32_t from_lane = 0, to_lane = 0;
  float from = 0, to = 0;
};

struct StreamPicture {
  std::vector<StreamLane> lanes;
  std::vector<StreamBlock> blocks;
  std::vector<StreamMark> marks;
  std::vector<StreamArrow> arrows;
  bool measured = false;     // positions are recorded times
  std::int64_t span_ns = 0;  // measured: duration of the whole width
};
[[nodiscard]] StreamPicture picture_of(const core::StreamTrace& trace, const core::StreamVerdict& verdict);

// A trace as it is shown: the recording, the verdict, and the picture.
struct StreamView {
  core::StreamTrace trace;
  core::StreamVerdict verdict;
  StreamPicture picture;
};
[[nodiscard]] core::Result<StreamView> read_stream_view(const std::string& path);
// The same from the text of such a file.
[[nodiscard]] core::Result<StreamView> stream_view_of(std::string_view text);
// The Python line that writes the recording of its process to a file.
[[nodiscard]] std::string save_stream_trace_line(std::string_view path);
// Whether the path is named like a file of a trace.
[[nodiscard]] bool is_stream_trace_file(std::string_view path);

// "Replayed, not observed: a recording made on NVIDIA H100, 2026-11-22. ..."
[[nodiscard]] std::string recording_text(const core::StreamTrace& trace);
// The same of what Python's process has recorded itself.
[[nodiscard]] std::string recorded_here_text();
// "RACE", "ORDERED", or that there is nothing to order.
[[nodiscard]] std::string_view stream_verdict_word(const core::StreamVerdict& verdict);
// "1. torch handed x to cupy: stream=-1"
[[nodiscard]] std::string step_text(const core::StreamTrace& trace, std::uint32_t step);

}  // namespace dlscope::app
