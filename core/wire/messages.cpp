#include "core/wire/messages.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "core/wire/payload.h"
#include "core/wire/work_payload.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kMaxTypeBytes = 4 << 10;
constexpr std::size_t kMaxWordsBytes = 256 << 10;  // messages, notices
constexpr std::size_t kMaxTracebackBytes = 1 << 20;

void put(PayloadWriter& out, const RunOutcome& outcome) {
  out.number(static_cast<std::uint8_t>(outcome.outcome));
  out.text(outcome.script_path);
  out.flag(outcome.error.has_value());
  if (outcome.error) {
    put_capped(out, outcome.error->type, kMaxTypeBytes);
    put_capped(out, outcome.error->message, kMaxWordsBytes);
    out.number(outcome.error->line);
    put_capped(out, outcome.error->traceback, kMaxTracebackBytes);
  }
  put_optional(out, outcome.exit_code);
  put_optional(out, outcome.signal);
}

void get(PayloadReader& in, RunOutcome& outcome) {
  outcome.outcome = in.choice(Outcome::crashed);
  outcome.script_path = in.text();
  if (in.flag()) {
    ScriptError& error = outcome.error.emplace();
    error.type = in.text();
    error.message = in.text();
    error.line = in.number<std::int32_t>();
    error.traceback = in.text();
  }
  outcome.exit_code = get_optional<std::int32_t>(in);
  outcome.signal = get_optional<std::int32_t>(in);
}

// One put and one get per message, side by side, because a change of a field has to change both.

void put(PayloadWriter& out, const Run& m) {
  out.number(m.run);
  out.text(m.path);
  out.flag(m.source.has_value());
  if (m.source) out.text(*m.source);
  out.number(static_cast<std::uint32_t>(m.arguments.size()));
  for (const std::string& argument : m.arguments) out.text(argument);
  out.text(m.working_folder);
  out.text(m.module);
  out.flag(m.fresh_namespace);
  out.flag(m.scan_after);
  out.flag(m.echo);
  out.number(static_cast<std::uint8_t>(m.statistics));
  out.text(m.stop_at);
  out.flag(m.interactive_stops);
  out.number(m.stop);
  out.number(m.frame);
}
void get(PayloadReader& in, Run& m) {
  m.run = in.number<std::uint64_t>();
  m.path = in.text();
  if (in.flag()) m.source = in.text();
  const auto count = in.number<std::uint32_t>();
  // No reserve(count): the count is untrusted, so memory is allocated only for texts that are really there.
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) m.arguments.push_back(in.text());
  m.working_folder = in.text();
  m.module = in.text();
  m.fresh_namespace = in.flag();
  m.scan_after = in.flag();
  m.echo = in.flag();
  m.statistics = in.choice(StatisticsMethod::exact);
  m.stop_at = in.text();
  m.interactive_stops = in.flag();
  m.stop = in.number<std::uint64_t>();
  m.frame = in.number<std::uint32_t>();
}

void put(PayloadWriter& out, const Scan& m) { out.number(m.request); }
void get(PayloadReader& in, Scan& m) { m.request = in.number<std::uint64_t>(); }

void put(PayloadWriter& out, const Interrupt& m) {
  out.number(m.attempt);
  out.number(m.question);
  out.number(m.run);
  out.number(m.scan);
}
void get(PayloadReader& in, Interrupt& m) {
  m.attempt = in.number<std::uint32_t>();
  m.question = in.number<std::uint64_t>();
  m.run = in.number<std::uint64_t>();
  m.scan = in.number<std::uint64_t>();
}

void put(PayloadWriter& out, const Ask& m) {
  out.number(m.id);
  out.text(m.kind);
  out.text(m.text);
}
void get(PayloadReader& in, Ask& m) {
  m.id = in.number<std::uint64_t>();
  m.kind = get_bounded(in, kMaxKindBytes);
  m.text = get_bounded(in, kMaxQuestionBytes);
}

void put(PayloadWriter& out, const Answer& m) {
  const bool fits = m.text.size() <= kMaxAnswerBytes;
  out.number(m.id);
  out.text(m.kind);
  out.text(fits ? m.text : "");
  if (fits)
    put_capped(out, m.error, kMaxTypeBytes);
  else
    out.text("the answer is too large (" + std::to_string(m.text.size()) + " bytes)");
}
void get(PayloadReader& in, Answer& m) {
  m.id = in.number<std::uint64_t>();
  m.kind = get_bounded(in, kMaxKindBytes);
  m.text = get_bounded(in, kMaxAnswerBytes);
  m.error = get_bounded(in, 2 * kMaxTypeBytes);
}

void put(PayloadWriter&, const Shutdown&) {}
void get(PayloadReader&, Shutdown&) {}

void put(PayloadWriter& out, const Hello& m) {
  out.text(m.build_id);
  out.number(m.pid);
  out.text(m.python_version);
  out.text(m.executable);
  out.text(m.prefix);
  out.text(m.base_prefix);
}
void get(PayloadReader& in, Hello& m) {
  m.build_id = in.text();
  m.pid = in.number<std::int32_t>();
  m.python_version = in.text();
  m.executable = in.text();
  m.prefix = in.text();
  m.base_prefix = in.text();
}

void put(PayloadWriter& out, const RunStarted& m) { out.number(m.run); }
void get(PayloadReader& in, RunStarted& m) { m.run = in.number<std::uint64_t>(); }

void put(PayloadWriter& out, const RunFinished& m) {
  out.number(m.run);
  put(out, m.outcome);
}
void get(PayloadReader& in, RunFinished& m) {
  m.run = in.number<std::uint64_t>();
  get(in, m.outcome);
}

void put(PayloadWriter& out, const SnapshotReady& m) {
  out.number(m.sequence);
  out.number(m.run);
  out.number(static_cast<std::uint8_t>(m.scanned));
  out.flag(m.python_threads);
}
void get(PayloadReader& in, SnapshotReady& m) {
  m.sequence = in.number<std::uint64_t>();
  m.run = in.number<std::uint64_t>();
  m.scanned = in.choice(Scanned::raise);
  m.python_threads = in.flag();
}

void put(PayloadWriter& out, const ScanFinished& m) {
  out.number(m.request);
  out.number(static_cast<std::uint8_t>(m.result));
  put_capped(out, m.message, kMaxWordsBytes);
}
void get(PayloadReader& in, ScanFinished& m) {
  m.request = in.number<std::uint64_t>();
  m.result = in.choice(ScanResult::failed);
  m.message = in.text();
}

void put(PayloadWriter& out, const Start& m) {
  out.number(m.id);
  put(out, m.work);
}
void get(PayloadReader& in, Start& m) {
  m.id = in.number<std::uint64_t>();
  get(in, m.work);
}

void put(PayloadWriter& out, const Cancel& m) { out.number(m.id); }
void get(PayloadReader& in, Cancel& m) { m.id = in.number<std::uint64_t>(); }

void put(PayloadWriter& out, const Progress& m) {
  out.number(m.id);
  out.number(m.done);
  out.number(m.total);
  out.number(static_cast<std::uint8_t>(m.unit));
}
void get(PayloadReader& in, Progress& m) {
  m.id = in.number<std::uint64_t>();
  m.done = in.number<std::uint64_t>();
  m.total = in.number<std::uint64_t>();
  m.unit = in.choice(ProgressUnit::tensors);
  if (m.total != 0 && m.done > m.total) in.fail();
}

void put(PayloadWriter& out, const Part& m) {
  out.number(m.id);
  put(out, m.part);
}
void get(PayloadReader& in, Part& m) {
  m.id = in.number<std::uint64_t>();
  get(in, m.part);
}

void put(PayloadWriter& out, const WorkEnded& m) {
  out.number(m.id);
  out.number(static_cast<std::uint8_t>(m.outcome));
  put_capped(out, m.message, kMaxTypeBytes);
  put(out, m.result);
}
void get(PayloadReader& in, WorkEnded& m) {
  m.id = in.number<std::uint64_t>();
  m.outcome = in.choice(WorkOutcome::cancelled);
  m.message = get_bounded(in, 2 * kMaxTypeBytes);
  get(in, m.result);
}

void put(PayloadWriter& out, const LeaseChanged& m) {
  out.number(m.lease);
  out.number(static_cast<std::uint8_t>(m.state));
  out.flag(m.pinned);
  put(out, m.tensor);
  put_capped(out, m.message, kMaxTypeBytes);
}
void get(PayloadReader& in, LeaseChanged& m) {
  m.lease = in.number<std::uint64_t>();
  m.state = in.choice(LeaseState::gone);
  m.pinned = in.flag();
  get(in, m.tensor);
  m.message = get_bounded(in, 2 * kMaxTypeBytes);
}

void put(PayloadWriter& out, const Notice& m) { put_capped(out, m.text, kMaxWordsBytes); }
void get(PayloadReader& in, Notice& m) { m.text = in.text(); }

template <class Variant>
RawMessage encode_any(const Variant& message, std::uint16_t first_kind) {
  PayloadWriter out;
  out.number(kMessageVersion);
  std::visit([&](const auto& m) { put(out, m); }, message);
  return {static_cast<std::uint16_t>(first_kind + message.index()), out.take()};
}

template <class Variant>
Result<Variant> decode_any(const RawMessage& raw, std::uint16_t first_kind) {
  const std::string which = "a message of kind " + std::to_string(raw.kind);
  if (raw.kind < first_kind || raw.kind - first_kind >= static_cast<int>(std::variant_size_v<Variant>)) {
    return fail(ErrorKind::invalid, which + " is not known here");
  }
  PayloadReader in(raw.payload);
  if (in.number<std::uint16_t>() != kMessageVersion) return fail(ErrorKind::invalid, which + " has another version");
  Variant message;
  emplace_index(message, static_cast<std::size_t>(raw.kind - first_kind));
  std::visit([&](auto& m) { get(in, m); }, message);
  if (!in.complete()) return fail(ErrorKind::invalid, which + " is malformed");
  return message;
}

}  // namespace

RawMessage encode(const ToHost& message) { return encode_any(message, kFirstKindToHost); }
RawMessage encode(const ToViewer& message) { return encode_any(message, kFirstKindToViewer); }
Result<ToHost> decode_to_host(const RawMessage& raw) { return decode_any<ToHost>(raw, kFirstKindToHost); }
Result<ToViewer> decode_to_viewer(const RawMessage& raw) { return decode_any<ToViewer>(raw, kFirstKindToViewer); }

}  // namespace dlscope::core::wire
