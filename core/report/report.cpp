#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <span>
#include <utility>

#include "core/base/build_id.h"
#include "core/report/record_json.h"

namespace dlscope::core {
namespace {

void put_python(JsonWriter& json, const ReportInput& input) {
  const Snapshot* const s = input.snapshot;
  const bool in_snapshot = s != nullptr && s->info.python_version.length != 0;
  if (!in_snapshot && !input.python) return json.null();
  json.begin_object();
  json.field("version", in_snapshot ? s->str(s->info.python_version) : std::string_view(input.python->version));
  json.field("executable", in_snapshot ? s->str(s->info.python_executable) : std::string_view(input.python->executable));
  json.field("prefix", in_snapshot ? s->str(s->info.python_prefix) : std::string_view(input.python->prefix));
  json.end_object();
}

void put_optional(JsonWriter& json, const std::optional<std::int32_t>& number) {
  if (!number) return json.null();
  json.value(*number);
}

void put_crash(JsonWriter& json, const CrashFacts& crash) {
  const auto put_text = [&](const char* key, const std::string& wording) {
    json.key(key);
    if (wording.empty())
      json.null();
    else
      json.value(wording);
  };
  json.key("crash");
  json.begin_object();
  put_text("address", crash.address ? fmt::format("{:#x}", *crash.address) : std::string());
  put_text("access", crash.access == CrashFacts::Access::write  ? "write"
                     : crash.access == CrashFacts::Access::read ? "read"
                                                                : "");
  put_text("memory", crash.memory);
  put_text("where", crash.where);
  json.key("native");
  json.begin_array();
  for (const auto& frame : crash.native) {
    json.begin_object();
    put_text("library", frame.library);
    json.field("offset", fmt::format("{:#x}", frame.offset));
    put_text("symbol", frame.symbol);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void put_script(JsonWriter& json, const RunOutcome& run) {
  json.begin_object();
  json.key("path");
  if (run.script_path.empty()) {
    json.null();
  } else {
    json.value(run.script_path);
  }
  json.field("outcome", outcome_name(run.outcome));
  json.key("error");
  if (run.error) {
    json.begin_object();
    json.field("type", run.error->type);
    json.field("message", run.error->message);
    json.key("line");
    put_optional(json, run.error->line > 0 ? std::optional(run.error->line) : std::nullopt);
    json.field("traceback", run.error->traceback);
    json.end_object();
  } else {
    json.null();
  }
  json.key("exit_code");
  put_optional(json, run.exit_code);
  json.key("signal");
  put_optional(json, run.signal);
  if (run.crash) put_crash(json, *run.crash);
  json.end_object();
}

void put_record(JsonWriter& json, const Snapshot& s, const LibraryRecord& library) {
  json.begin_object();
  json.field("name", s.str(library.name));
  json.key("version");
  put_text(json, s, library.version);
  json.end_object();
}

void put_record(JsonWriter& json, const Snapshot& s, const LimitRecord& limit) {
  json.begin_object();
  json.field("what", s.str(limit.what));
  json.field("limit", limit.limit);
  json.field("reached", limit.reached);
  json.end_object();
}

void put_record(JsonWriter& json, const Snapshot& s, const DeviceRecord& device) {
  json.begin_object();
  put_device(json, device.device);
  json.field("name", s.str(device.name));
  json.key("total_bytes");
  put_size(json, device.total_bytes);
  json.key("free_bytes");
  put_size(json, device.free_bytes);
  json.end_object();
}

void put_record(JsonWriter& json, const Snapshot& s, const GroupRecord& group) { put_group(json, s, group); }

void put_event(JsonWriter& json, const EventRecord& event, std::string_view text) {
  json.begin_object();
  json.field("t_ns", event.t_ns);
  json.field("kind", event_kind_name(event.kind));
  json.key("tensor");
  put_size(json, event.tensor != kNone32 ? event.tensor : kUnknown64);
  json.field("text", text);
  json.end_object();
}

void put_record(JsonWriter& json, const Snapshot& s, const EventRecord& event) { put_event(json, event, s.str(event.text)); }

void put_record(JsonWriter& json, const Snapshot& s, const CopyRecord& copy) {
  json.begin_object();
  json.field("from", s.str(copy.from));
  json.field("to", s.str(copy.to));
  json.field("bytes", copy.bytes);
  json.field("ns", copy.ns);
  json.field("why", s.str(copy.why));
  json.key("path");
  if (copy.path.length != 0)
    json.value(s.str(copy.path));
  else
    json.null();
  json.key("plain_ns");
  if (copy.plain_ns != 0)
    json.value(copy.plain_ns);
  else
    json.null();
  json.end_object();
}

void put_record(JsonWriter& json, const Snapshot& s, const NotEnteredRecord& objects) {
  json.begin_object();
  json.field("type", s.str(objects.type));
  json.field("count", objects.count);
  json.end_object();
}

void put_stop(JsonWriter& json, const Snapshot* s) {
  if (s == nullptr || s->info.stop.line == 0) return json.null();
  const StopInfo& stop = s->info.stop;
  json.begin_object();
  json.key("file");
  put_text(json, *s, stop.file);
  json.field("line", stop.line);
  json.key("function");
  put_text(json, *s, stop.function);
  json.field("hit", stop.hit);
  json.key("thread");
  put_text(json, *s, stop.thread);
  json.end_object();
}

// Writes one record per line, so that line-based tools such as grep can search a report of 1e5 tensors.
template <class Record>
void put_records(JsonWriter& json, const Snapshot* s, std::vector<Record> Snapshot::*records) {
  if (s == nullptr) return;
  for (const Record& record : s->*records) {
    if (json.failed()) return;
    json.line_break();
    put_record(json, *s, record);
  }
}

template <class Record>
void put_list(JsonWriter& json, const char* key, const Snapshot* s, std::vector<Record> Snapshot::*records) {
  json.line_break();
  json.key(key);
  json.begin_array();
  put_records(json, s, records);
  json.end_array();
}

// As put_list(), with what is held at the time of the report where that was told.
void put_tensors(JsonWriter& json, const ReportInput& input) {
  json.line_break();
  json.key("tensors");
  json.begin_array();
  const std::span<const TensorRecord> tensors =
      input.snapshot != nullptr ? std::span(input.snapshot->tensors) : std::span<const TensorRecord>();
  for (std::uint32_t id = 0; id < tensors.size(); ++id) {
    if (json.failed()) return;
    json.line_break();
    put_tensor(json, *input.snapshot, tensors[id], input.held ? std::ranges::binary_search(*input.held, id) : tensors[id].held);
  }
  json.end_array();
}

// Those of the snapshot, and what has happened since, at the time of the report.
void put_events(JsonWriter& json, const ReportInput& input) {
  json.line_break();
  json.key("events");
  json.begin_array();
  put_records(json, input.snapshot, &Snapshot::events);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  for (const std::string& text : input.later) {
    json.line_break();
    put_event(json, {.t_ns = std::chrono::nanoseconds(now).count(), .kind = EventKind::script, .text = {}}, text);
  }
  json.end_array();
}

// As put_list(), each pair with the write probe's result for it.
void put_sharing(JsonWriter& json, const ReportInput& input) {
  json.line_break();
  json.key("sharing");
  json.begin_array();
  const std::span<const PairRecord> pairs =
      input.snapshot != nullptr ? std::span(input.snapshot->pairs) : std::span<const PairRecord>();
  auto probe = input.probes.begin();
  for (const PairRecord& pair : pairs) {
    if (json.failed()) return;
    const auto order = [](const auto& each) { return std::pair(each.a, each.b); };
    while (probe != input.probes.end() && order(*probe) < order(pair)) ++probe;
    const bool probed = probe != input.probes.end() && order(*probe) == order(pair);
    json.line_break();
    put_pair(json, *input.snapshot, pair, probed ? probe_name(probe->probe) : "");
  }
  json.end_array();
}

// Why the analysis of sharing is incomplete, if it is.
void put_left_open(JsonWriter& json, const Snapshot* s) {
  json.line_break();
  json.key("missing_pairs");
  put_reason(json, s != nullptr ? s->info.missing_pairs : UnknownWhy::none);
  json.key("open_groups");
  put_reason(json, s != nullptr ? s->info.open_groups : UnknownWhy::none);
}

template <class Put>
bool write_one(const JsonSink& sink, Put put) {
  JsonWriter json(sink);
  put(json);
  return json.finish();
}

}  // namespace

std::string hex(Address address) {
  char text[18] = "0x";
  return {text, std::to_chars(text + 2, text + sizeof text, address, 16).ptr};
}

bool write_report(const ReportInput& input, const JsonSink& sink) {
  JsonWriter json(sink);
  const Snapshot* const s = input.snapshot;
  json.begin_object();
  json.field("format", "dlscope-report");
  json.field("format_version", 1);
  json.line_break();
  json.key("app");
  json.begin_object();
  json.field("version", version());
  json.field("dlpack", kDlpackVersion);
  json.field("build", build_id());
  json.end_object();
  json.line_break();
  json.key("python");
  put_python(json, input);
  put_list(json, "libraries", s, &Snapshot::libraries);
  json.line_break();
  json.key("script");
  put_script(json, input.run);
  json.line_break();
  json.field("scanned", scanned_name(input.scanned));
  json.key("stop");
  put_stop(json, s);
  put_list(json, "limits", s, &Snapshot::limits);
  put_list(json, "not_entered", s, &Snapshot::not_entered);
  put_left_open(json, s);
  put_list(json, "devices", s, &Snapshot::devices);
  put_tensors(json, input);
  put_list(json, "groups", s, &Snapshot::groups);
  put_sharing(json, input);
  if (input.proof != nullptr) {
    json.line_break();
    json.key("proof");
    put_proof(json, *input.proof);
  }
  put_events(json, input);
  put_list(json, "copies", s, &Snapshot::copies);
  json.line_break();
  json.end_object();
  json.line_break();
  return json.finish();
}

bool write_tensor(const Snapshot& snapshot, const TensorRecord& tensor, const JsonSink& sink) {
  return write_one(sink, [&](JsonWriter& json) { put_tensor(json, snapshot, tensor, tensor.held); });
}

bool write_pair(const Snapshot& snapshot, const PairRecord& pair, const JsonSink& sink) {
  return write_one(sink, [&](JsonWriter& json) { put_pair(json, snapshot, pair); });
}

}  // namespace dlscope::core
