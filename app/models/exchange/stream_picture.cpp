#include "app/models/exchange/stream_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "app/models/text/format.h"
#include "app/models/text/json_members.h"

namespace dlscope::app {
namespace {

using core::StepKind;
using core::StreamKind;
using core::TraceStep;

const char* kind_text(StreamKind kind) {
  switch (kind) {
    case StreamKind::host:
      return "the host's own thread";
    case StreamKind::default_:
      return "the legacy default stream: it and blocking streams wait for each other";
    case StreamKind::blocking:
      return "a blocking stream: it and the legacy default stream wait for each other";
    case StreamKind::non_blocking:
      return "a non-blocking stream: ordered by nothing but events";
  }
  return "";
}

bool is_access(const TraceStep& step) { return step.kind == StepKind::write || step.kind == StepKind::read; }

// The horizontal position of each step, as a fraction of the width.
class Places {
 public:
  explicit Places(const core::StreamTrace& trace) : trace_(trace), begin_(trace.steps.size()), end_(trace.steps.size()) {
    measured = std::ranges::any_of(trace.steps, is_access) &&
               std::ranges::all_of(trace.steps, [](const TraceStep& step) { return !is_access(step) || step.end_ns >= 0; });
    measured ? by_time() : by_order();
  }
  [[nodiscard]] float begin(std::uint32_t step) const { return begin_[step]; }
  [[nodiscard]] float end(std::uint32_t step) const { return end_[step]; }
  bool measured = false;
  std::int64_t span_ns = 0;

 private:
  void by_order() {
    const auto count = static_cast<float>(std::max<std::size_t>(trace_.steps.size(), 1));
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      begin_[i] = static_cast<float>(i) / count;
      end_[i] = static_cast<float>(i + 1) / count;
    }
  }
  // A step without a time is placed where its stream's previous step ended.
  void by_time() {
    std::int64_t first = INT64_MAX, last = 0;
    for (const TraceStep& step : trace_.steps) {
      if (step.begin_ns >= 0) first = std::min(first, step.begin_ns);
      last = std::max(last, step.end_ns);
    }
    span_ns = std::max<std::int64_t>(last - first, 1);
    const auto place = [&](std::int64_t ns) {
      return static_cast<float>(static_cast<double>(ns - first) / static_cast<double>(span_ns));
    };
    std::vector<float> reached(trace_.streams.size(), 0.0F);
    std::unordered_map<std::uint32_t, float> recorded;  // by event
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const TraceStep& step = trace_.steps[i];
      begin_[i] = step.begin_ns >= 0 ? place(step.begin_ns) : reached[step.stream];
      // A hand-over by the host comes before whatever it issues next; a wait ends when its event has happened.
      if (step.kind == StepKind::hand_over) begin_[i] = next_access(i, place);
      if (step.kind == StepKind::record) recorded[step.event] = begin_[i];
      if (const auto event = recorded.find(step.event); step.kind == StepKind::wait && event != recorded.end())
        begin_[i] = std::max(begin_[i], event->second);
      end_[i] = step.end_ns >= 0 ? place(step.end_ns) : begin_[i];
      if (step.kind != StepKind::hand_over) reached[step.stream] = std::max(reached[step.stream], end_[i]);
    }
  }
  template <class Place>
  [[nodiscard]] float next_access(std::size_t step, Place place) const {
    const auto from = trace_.steps.begin() + static_cast<std::ptrdiff_t>(step);
    const auto next = std::find_if(from, trace_.steps.end(), is_access);
    return next == trace_.steps.end() ? 1.0F : place(next->begin_ns);
  }

  const core::StreamTrace& trace_;
  std::vector<float> begin_, end_;
};

}  // namespace

StreamPicture picture_of(const core::StreamTrace& trace, const core::StreamVerdict& verdict) {
  const Places places(trace);
  StreamPicture picture{
      .lanes = {}, .blocks = {}, .marks = {}, .arrows = {}, .measured = places.measured, .span_ns = places.span_ns};
  std::vector<std::uint32_t> lane_of(trace.streams.size(), core::kNotGiven);
  for (const TraceStep& step : trace.steps) {
    if (lane_of[step.stream] != core::kNotGiven) continue;
    lane_of[step.stream] = static_cast<std::uint32_t>(picture.lanes.size());
    picture.lanes.push_back({step.stream, trace.streams[step.stream].name, kind_text(trace.streams[step.stream].kind)});
  }
  const core::OrderPair* const race = verdict.race ? &verdict.pairs[verdict.deciding] : nullptr;
  std::unordered_map<std::uint32_t, std::uint32_t> recorded;
  for (std::uint32_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    const std::uint32_t lane = lane_of[step.stream];
    if (is_access(step)) {
      picture.blocks.push_back(
          {lane, i, places.begin(i), places.end(i), race != nullptr && (race->earlier == i || race->later == i)});
      continue;
    }
    picture.marks.push_back({lane, i, places.begin(i)});
    if (step.kind == StepKind::record) recorded[step.event] = i;
    if (const auto from = recorded.find(step.event); step.kind == StepKind::wait && from != recorded.end())
      picture.arrows.push_back({lane_of[trace.steps[from->second].stream], lane, places.begin(from->second), places.begin(i)});
  }
  return picture;
}

bool is_stream_trace_file(std::string_view path) { return path.ends_with(".streams.json"); }

core::Result<StreamView> read_stream_view(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return core::fail(core::ErrorKind::not_found, path + ": there is no such file");
  if (!std::filesystem::is_regular_file(path, error))
    return core::fail(core::ErrorKind::invalid, path + " is not a regular file");
  std::ifstream file(path, std::ios::binary);
  std::string text(core::kMaxTraceBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !file.is_open()) return core::fail(core::ErrorKind::environment, path + " cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto view = stream_view_of(text);
  if (!view) return core::fail(view.error().kind, fmt::format("{}: {}", path, view.error().message));
  return view;
}

std::string save_stream_trace_line(std::string_view path) {
  return fmt::format("import dlscope; dlscope.save_stream_trace({})", json_text(std::string(path)));
}

core::Result<StreamView> stream_view_of(std::string_view text) {
  auto trace = core::read_stream_trace(text);
  if (!trace) return std::unexpected(trace.error());
  auto verdict = core::judge_streams(*trace);
  auto picture = picture_of(*trace, verdict);
  return StreamView{std::move(*trace), std::move(verdict), std::move(picture)};
}

std::string recording_text(const core::StreamTrace& trace) {
  std::string wording = "Replayed, not observed: a recording";
  if (!trace.recorded_on.empty()) wording += " made on " + trace.recorded_on;
  if (!trace.recorded_at.empty()) wording += ", " + trace.recorded_at;
  return wording + ". What it says is judged by rule; nothing of it is seen now.";
}

std::string recorded_here_text() {
  return "Recorded from the hand-overs that dlscope took part in. "
         "Whether they are ordered is judged by rule; the device was not watched.";
}

std::string_view stream_verdict_word(const core::StreamVerdict& verdict) {
  if (verdict.race) return "RACE";
  return verdict.pairs.empty() ? "NOTHING TO ORDER" : "ORDERED";
}

std::string step_text(const core::StreamTrace& trace, std::uint32_t number) {
  const TraceStep& step = trace.steps[number];
  const std::string& stream = trace.streams[step.stream].name;
  const std::string what = step.what.empty() ? std::string() : ": " + step.what;
  const std::string head = fmt::format("{}. ", number + 1);
  switch (step.kind) {
    case StepKind::write:
    case StepKind::read:
      return fmt::format("{}{} {}s {}{}", head, stream, core::step_kind_name(step.kind), trace.buffers[step.buffer].name, what);
    case StepKind::record:
      return fmt::format("{}an event is recorded on {}{}", head, stream, what);
    case StepKind::wait:
      return fmt::format("{}{} waits for that event{}", head, stream, what);
    case StepKind::synchronize:
      return fmt::format("{}the host waits for {}{}", head, stream, what);
    case StepKind::hand_over:
      return fmt::format("{}{} handed {} to {}: {}{}", head, step.producer.empty() ? "an unnamed producer" : step.producer,
                         trace.buffers[step.buffer].name, step.consumer.empty() ? "an unnamed consumer" : step.consumer,
                         step.asked.empty() ? std::string("no stream was asked for") : "stream=" + step.asked, what);
  }
  return head;
}

}  // namespace dlscope::app
