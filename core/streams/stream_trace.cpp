#include "core/streams/stream_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

namespace dlscope::core {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<const char*, StreamKind>, 4> kStreamKinds{{{"host", StreamKind::host},
                                                                          {"default", StreamKind::default_},
                                                                          {"blocking", StreamKind::blocking},
                                                                          {"non_blocking", StreamKind::non_blocking}}};
constexpr std::array<std::pair<const char*, StepKind>, 6> kStepKinds{{{"write", StepKind::write},
                                                                      {"read", StepKind::read},
                                                                      {"record", StepKind::record},
                                                                      {"wait", StepKind::wait},
                                                                      {"synchronize", StepKind::synchronize},
                                                                      {"hand_over", StepKind::hand_over}}};

template <class Rows>
auto kind_of(const Rows& rows, std::string_view name) -> decltype(rows.begin()) {
  return std::ranges::find_if(rows, [&](const auto& row) { return name == row.first; });
}

class TraceReader {
 public:
  explicit TraceReader(const Json& json) : json_(json) {}

  Result<StreamTrace> read() {
    if (!json_.is_object() || text_of(json_, "format") != "dlscope-stream-trace")
      return wrong("it is not a trace of streams (\"format\")");
    if (const auto version = json_.find("format_version"); version == json_.end() || *version != 1)
      return wrong("its \"format_version\" is not 1, the only one known");
    trace_.title = text_of(json_, "title");
    trace_.recorded_on = text_of(json_, "recorded_on");
    trace_.recorded_at = text_of(json_, "recorded_at");
    if (!read_streams() || !read_buffers() || !read_steps()) return wrong(problem_);
    if (!problem_.empty()) return wrong(problem_);
    return std::move(trace_);
  }

 private:
  using Names = std::unordered_map<std::string, std::uint32_t>;

  [[nodiscard]] static std::unexpected<Error> wrong(std::string message) { return fail(ErrorKind::invalid, std::move(message)); }
  bool complain(std::string message) {
    if (problem_.empty()) problem_ = std::move(message);
    return false;
  }

  // The text of a field; "" if it is missing. A value of another type or a text that is too long is an error.
  std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return {};
    if (!found->is_string()) {
      complain(fmt::format("{}\"{}\" is not a text", where_, key));
      return {};
    }
    const std::string& text = found->get_ref<const std::string&>();
    if (text.size() > kMaxTraceText) {
      complain(fmt::format("{}\"{}\" is longer than {} bytes", where_, key, kMaxTraceText));
      return {};
    }
    return text;
  }

  // Calls read(object, index) for each object of a list, which may have at most `most`.
  template <class Read>
  bool each(const char* key, const char* one, std::size_t most, Read read) {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_array()) return complain(fmt::format("it has no list \"{}\"", key));
    if (found->size() > most) return complain(fmt::format("\"{}\" has {} entries; {} is the most", key, found->size(), most));
    for (std::size_t i = 0; i < found->size(); ++i) {
      where_ = fmt::format("{} {}: ", one, i);
      if (!(*found)[i].is_object()) return complain(where_ + "is no object");
      if (!read((*found)[i])) return false;
    }
    where_.clear();
    return problem_.empty();
  }

  bool add_name(Names& names, const std::string& name, std::size_t index) {
    if (name.empty()) return complain(where_ + "has no \"name\"");
    return names.emplace(name, static_cast<std::uint32_t>(index)).second ||
           complain(fmt::format("{}a second '{}'", where_, name));
  }

  bool read_streams() {
    return each("streams", "stream", kMaxTraceStreams, [&](const Json& given) {
      const auto* const kind = kind_of(kStreamKinds, text_of(given, "kind"));
      if (kind == kStreamKinds.end()) return complain(where_ + "\"kind\" is none of host, default, blocking, non_blocking");
      trace_.streams.push_back({text_of(given, "name"), text_of(given, "value"), kind->second});
      const bool twice = std::ranges::count(trace_.streams, kind->second, &TraceStream::kind) > 1;
      if (twice && (kind->second == StreamKind::host || kind->second == StreamKind::default_))
        return complain(fmt::format("{}a second stream of the kind {}", where_, kind->first));
      return add_name(stream_names_, trace_.streams.back().name, trace_.streams.size() - 1);
    });
  }

  bool read_buffers() {
    return each("buffers", "buffer", kMaxTraceBuffers, [&](const Json& given) {
      const auto bytes = given.find("bytes");
      if (bytes != given.end() && !bytes->is_number_unsigned()) return complain(where_ + "\"bytes\" is not a size");
      trace_.buffers.push_back({text_of(given, "name"), bytes == given.end() ? 0 : bytes->get<std::uint64_t>()});
      return add_name(buffer_names_, trace_.buffers.back().name, trace_.buffers.size() - 1);
    });
  }

  bool find(const Names& names, const Json& given, const char* key, std::uint32_t& out) {
    const std::string name = text_of(given, key);
    const auto found = names.find(name);
    if (found == names.end()) return complain(fmt::format("{}{} '{}' is none of the trace's", where_, key, name));
    out = found->second;
    return true;
  }

  bool read_time(const Json& given, const char* key, std::int64_t& out) {
    const auto found = given.find(key);
    if (found == given.end() || found->is_null()) return true;
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > std::uint64_t{1} << 62)
      return complain(fmt::format("{}\"{}\" is not a time in nanoseconds", where_, key));
    out = found->get<std::int64_t>();
    return true;
  }

  // A wait for an event that was never recorded is accepted; it orders nothing, as on a device.
  bool read_event(const Json& given, TraceStep& step) {
    const std::string name = text_of(given, "event");
    if (name.empty()) return complain(where_ + "has no \"event\"");
    step.event = event_names_.emplace(name, static_cast<std::uint32_t>(event_names_.size())).first->second;
    return true;
  }

  bool read_steps() {
    return each("steps", "step", kMaxTraceSteps, [&](const Json& given) {
      const auto* const kind = kind_of(kStepKinds, text_of(given, "kind"));
      if (kind == kStepKinds.end())
        return complain(where_ + "\"kind\" is none of write, read, record, wait, synchronize, hand_over");
      TraceStep step;
      step.kind = kind->second;
      step.what = text_of(given, "what");
      step.producer = text_of(given, "producer");
      step.consumer = text_of(given, "consumer");
      step.asked = text_of(given, "asked");
      const bool has_buffer = step.kind == StepKind::write || step.kind == StepKind::read || step.kind == StepKind::hand_over;
      const bool has_event = step.kind == StepKind::record || step.kind == StepKind::wait;
      if (!find(stream_names_, given, "stream", step.stream)) return false;
      if (has_event && trace_.streams[step.stream].kind == StreamKind::host)
        return complain(where_ + "the host records no events and waits for streams (synchronize)");
      if (has_buffer && !find(buffer_names_, given, "buffer", step.buffer)) return false;
      if (has_event && !read_event(given, step)) return false;
      if (!read_time(given, "begin_ns", step.begin_ns) || !read_time(given, "end_ns", step.end_ns)) return false;
      if (step.end_ns >= 0 && (step.begin_ns < 0 || step.end_ns < step.begin_ns))
        return complain(where_ + "ends before it begins");
      trace_.steps.push_back(std::move(step));
      return problem_.empty();
    });
  }

  const Json& json_;
  StreamTrace trace_;
  std::string where_, problem_;
  Names stream_names_, buffer_names_, event_names_;
};

// Parses JSON; the result is `discarded` if it is nested deeper than the format allows.
Json parse(std::string_view text) {
  bool too_deep = false;
  const auto callback = [&](int depth, Json::parse_event_t, Json&) {
    too_deep |= depth > 4;
    return !too_deep;
  };
  Json json = Json::parse(text.begin(), text.end(), callback, false);
  return too_deep ? Json(Json::value_t::discarded) : json;
}

}  // namespace

const char* step_kind_name(StepKind kind) {
  for (const auto& [name, each] : kStepKinds) {
    if (each == kind) return name;
  }
  return "";
}

Result<StreamTrace> read_stream_trace(std::string_view text) {
  if (text.size() > kMaxTraceBytes)
    return fail(ErrorKind::invalid,
                fmt::format("a trace of streams has at most {} MiB; this has {} bytes", kMaxTraceBytes >> 20, text.size()));
  const Json json = parse(text);
  if (json.is_discarded()) return fail(ErrorKind::invalid, "it is not JSON, or nested deeper than a trace of streams is");
  return TraceReader(json).read();
}

namespace {

template <class Rows, class Kind>
const char* name_in(const Rows& rows, Kind kind) {
  return std::ranges::find(rows, kind, [](const auto& row) { return row.second; })->first;
}

void add_text(nlohmann::ordered_json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

nlohmann::ordered_json step_json(const StreamTrace& trace, const TraceStep& step) {
  nlohmann::ordered_json made{{"kind", step_kind_name(step.kind)}, {"stream", trace.streams[step.stream].name}};
  if (step.buffer != kNotGiven) made["buffer"] = trace.buffers[step.buffer].name;
  if (step.event != kNotGiven) made["event"] = fmt::format("event {}", step.event + std::uint64_t{1});
  add_text(made, "producer", step.producer);
  add_text(made, "consumer", step.consumer);
  add_text(made, "asked", step.asked);
  add_text(made, "what", step.what);
  if (step.begin_ns >= 0) made["begin_ns"] = step.begin_ns;
  if (step.end_ns >= 0) made["end_ns"] = step.end_ns;
  return made;
}

}  // namespace

std::string stream_trace_json(const StreamTrace& trace) {
  using Tree = nlohmann::ordered_json;
  Tree made{{"format", "dlscope-stream-trace"}, {"format_version", 1}};
  add_text(made, "title", trace.title);
  add_text(made, "recorded_on", trace.recorded_on);
  add_text(made, "recorded_at", trace.recorded_at);
  for (const char* const list : {"streams", "buffers", "steps"}) made[list] = Tree::array();
  for (const TraceStream& stream : trace.streams) {
    Tree each{{"name", stream.name}, {"kind", name_in(kStreamKinds, stream.kind)}};
    add_text(each, "value", stream.value);
    made["streams"].push_back(std::move(each));
  }
  for (const TraceBuffer& buffer : trace.buffers) made["buffers"].push_back({{"name", buffer.name}, {"bytes", buffer.bytes}});
  for (const TraceStep& step : trace.steps) made["steps"].push_back(step_json(trace, step));
  return made.dump(-1, ' ', false, Tree::error_handler_t::replace);
}

}  // namespace dlscope::core
