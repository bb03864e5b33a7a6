#include "core/wire/messages.h"

#include <string_view>

#include "core/base/utf8.h"
#include "core/wire/payload.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kMaxTypeBytes = 4 << 10;
constexpr std::size_t kMaxWordsBytes = 256 << 10;  // messages, notices
constexpr std::size_t kMaxTracebackBytes = 1 << 20;

void put_capped(PayloadWriter& out, std::string_view text, std::size_t cap) {
  if (text.size() <= cap) return out.text(text);
  const std::string_view kept = utf8_prefix(text, cap);
  out.text(std::string(kept) + "\n... (" + std::to_string(text.size() - kept.size()) + " bytes more)\n");
}

template <class T>
void put_optional(PayloadWriter& out, const std::optional<T>& value) {
  out.flag(value.has_value());
  if (value) out.number(*value);
}

template <class T>
std::optional<T> get_optional(PayloadReader& in) {
  if (!in.flag()) return std::nullopt;
  return in.number<T>();
}

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

// One put and one get per message, side by side: whoever changes a field changes both.

void put(PayloadWriter& out, const Run& m) {
  out.number(m.run);
  out.text(m.path);
  out.flag(m.source.has_value());
  if (m.source) out.text(*m.source);
  out.number(static_cast<std::uint32_t>(m.arguments.size()));
  for (const std::string& argument : m.arguments) out.text(argument);
  out.flag(m.fresh_namespace);
  out.flag(m.scan_after);
  out.flag(m.echo);
  out.text(m.stop_at);
}
void get(PayloadReader& in, Run& m) {
  m.run = in.number<std::uint64_t>();
  m.path = in.text();
  if (in.flag()) m.source = in.text();
  const auto count = in.number<std::uint32_t>();
  // Not reserved: the count is only believed as long as texts follow.
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) m.arguments.push_back(in.text());
  m.fresh_namespace = in.flag();
  m.scan_after = in.flag();
  m.echo = in.flag();
  m.stop_at = in.text();
}

void put(PayloadWriter& out, const Scan& m) { out.number(m.request); }
void get(PayloadReader& in, Scan& m) { m.request = in.number<std::uint64_t>(); }

void put(PayloadWriter& out, const Stop& m) { out.number(m.attempt); }
void get(PayloadReader& in, Stop& m) { m.attempt = in.number<std::uint32_t>(); }

// A text that is longer than `most` makes the message malformed.
std::string get_bounded(PayloadReader& in, std::size_t most) {
  std::string text = in.text();
  if (text.size() > most) in.fail();
  return text;
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
}
void get(PayloadReader& in, SnapshotReady& m) {
  m.sequence = in.number<std::uint64_t>();
  m.run = in.number<std::uint64_t>();
  m.scanned = in.choice(Scanned::raise);
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

// Makes the alternative with this index, by trying them in turn.
template <class Variant, std::size_t I = 0>
void emplace_index(Variant& variant, std::size_t index) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index == I) {
      variant.template emplace<I>();
    } else {
      emplace_index<Variant, I + 1>(variant, index);
    }
  }
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
