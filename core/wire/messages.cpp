#include "core/wire/messages.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "core/wire/payload.h"
#include "core/wire/statistics_payload.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kMaxTypeBytes = 4 << 10;
constexpr std::size_t kMaxStepBytes = 1000;  // of a text of a proof: kMostProved steps fit into one message
constexpr std::size_t kMaxWordsBytes = 256 << 10;  // messages, notices
constexpr std::size_t kMaxTracebackBytes = 1 << 20;

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
  // Not reserved: the count is only believed as long as texts follow.
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) m.arguments.push_back(in.text());
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

void put(PayloadWriter& out, const Stop& m) { out.number(m.attempt); }
void get(PayloadReader& in, Stop& m) { m.attempt = in.number<std::uint32_t>(); }

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

void put(PayloadWriter& out, const ScanFinished& m) {
  out.number(m.request);
  out.number(static_cast<std::uint8_t>(m.result));
  put_capped(out, m.words, kMaxWordsBytes);
}
void get(PayloadReader& in, ScanFinished& m) {
  m.request = in.number<std::uint64_t>();
  m.result = in.choice(ScanResult::failed);
  m.words = in.text();
}

void put(PayloadWriter& out, const TensorRef& m) {
  out.number(m.revision);
  out.number(m.tensor);
}
void get(PayloadReader& in, TensorRef& m) {
  m.revision = in.number<std::uint64_t>();
  m.tensor = in.number<std::uint32_t>();
}

void put(PayloadWriter& out, const FindValue& m) {
  put(out, m.tensor);
  out.number(static_cast<std::uint8_t>(m.sought));
  out.text(m.text);
  out.number(m.from);
}
void get(PayloadReader& in, FindValue& m) {
  get(in, m.tensor);
  m.sought = in.choice(SoughtValue::equal);
  m.text = get_bounded(in, kMaxValueTextBytes);
  m.from = in.number<std::uint64_t>();
}

void put_real(PayloadWriter& out, double value) { out.number(std::bit_cast<std::uint64_t>(value)); }
double get_real(PayloadReader& in) { return std::bit_cast<double>(in.number<std::uint64_t>()); }

void put(PayloadWriter& out, const CompareTensors& m) {
  put(out, m.a);
  put(out, m.b);
  put_real(out, m.tolerance.absolute);
  put_real(out, m.tolerance.relative);
  out.flag(m.broadcast);
}
void get(PayloadReader& in, CompareTensors& m) {
  get(in, m.a);
  get(in, m.b);
  m.tolerance = {.absolute = get_real(in), .relative = get_real(in)};
  if (!(m.tolerance.absolute >= 0 && m.tolerance.relative >= 0)) in.fail();
  m.broadcast = in.flag();
}

void put(PayloadWriter& out, const Hold& m) {
  put(out, m.tensor);
  out.flag(m.pinned);
}
void get(PayloadReader& in, Hold& m) {
  get(in, m.tensor);
  m.pinned = in.flag();
}

void put(PayloadWriter& out, const Release& m) { out.number(m.lease); }
void get(PayloadReader& in, Release& m) { m.lease = in.number<std::uint64_t>(); }

void put(PayloadWriter& out, const ComputeStatistics& m) { put(out, m.tensor); }
void get(PayloadReader& in, ComputeStatistics& m) { get(in, m.tensor); }

void put(PayloadWriter& out, const SurveyTensors& m) { out.number(m.revision); }
void get(PayloadReader& in, SurveyTensors& m) { m.revision = in.number<std::uint64_t>(); }

void put(PayloadWriter& out, const Summaries& m) {
  out.number(static_cast<std::uint32_t>(m.tensors.size()));
  for (const StatisticsRecord& one : m.tensors) {
    out.number(one.tensor);
    put(out, one.summary);
  }
}
void get(PayloadReader& in, Summaries& m) {
  const auto count = in.number<std::uint32_t>();
  if (count > kMostSummaries) return in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    StatisticsRecord& one = m.tensors.emplace_back();
    one.tensor = in.number<std::uint32_t>();
    get(in, one.summary);
  }
}

void put(PayloadWriter& out, const Prove& m) {
  out.number(m.revision);
  out.number(static_cast<std::uint32_t>(m.tensors.size()));
  for (const std::uint32_t tensor : m.tensors) out.number(tensor);
  out.flag(m.pairs);
  out.flag(m.probe);
}
void get(PayloadReader& in, Prove& m) {
  m.revision = in.number<std::uint64_t>();
  const auto count = in.number<std::uint32_t>();
  if (count < 2 || count > kMostProved) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) m.tensors.push_back(in.number<std::uint32_t>());
  m.pairs = in.flag();
  m.probe = in.flag();
  if (m.pairs && count % 2 != 0) in.fail();
}

void put(PayloadWriter& out, const HandTo& m) {
  put(out, m.tensor);
  out.text(m.library);
  out.text(m.device);
  out.number(static_cast<std::uint8_t>(m.copy));
  out.text(m.name);
}
void get(PayloadReader& in, HandTo& m) {
  get(in, m.tensor);
  m.library = get_bounded(in, kMaxWorkTextBytes);
  m.device = get_bounded(in, kMaxWorkTextBytes);
  m.copy = in.choice(CopyPolicy::never);
  m.name = get_bounded(in, kMaxWorkTextBytes);
}

void put(PayloadWriter& out, const CopyTensor& m) {
  put(out, m.tensor);
  out.flag(m.keep_order);
  out.text(m.dtype);
  out.text(m.library);
  out.text(m.name);
}
void get(PayloadReader& in, CopyTensor& m) {
  get(in, m.tensor);
  m.keep_order = in.flag();
  m.dtype = get_bounded(in, kMaxWorkTextBytes);
  m.library = get_bounded(in, kMaxWorkTextBytes);
  m.name = get_bounded(in, kMaxWorkTextBytes);
}

void put(PayloadWriter& out, const ProofStep& m) {
  put_capped(out, m.from, kMaxStepBytes);
  put_capped(out, m.to, kMaxStepBytes);
  out.number(static_cast<std::uint8_t>(m.verdict));
  out.number(static_cast<std::uint8_t>(m.relation));
  out.number(m.shared_bytes);
  put_optional(out, m.from_address);
  put_optional(out, m.to_address);
  out.number(static_cast<std::uint8_t>(m.probe));
  out.text(m.from_writability);
  out.text(m.to_writability);
  put_capped(out, m.why, kMaxStepBytes);
}
void get(PayloadReader& in, ProofStep& m) {
  m.from = in.text();
  m.to = in.text();
  m.verdict = in.choice(HandOver::unknown);
  m.relation = in.choice(Relation::unknown);
  m.shared_bytes = in.number<std::uint64_t>();
  m.from_address = get_optional<Address>(in);
  m.to_address = get_optional<Address>(in);
  m.probe = in.choice(Probe::not_writable);
  m.from_writability = in.text();
  m.to_writability = in.text();
  m.why = in.text();
}

void put(PayloadWriter& out, const Proof& m) {
  out.number(static_cast<std::uint8_t>(m.verdict));
  out.number(static_cast<std::uint32_t>(m.steps.size()));
  for (const ProofStep& step : m.steps) put(out, step);
}
void get(PayloadReader& in, Proof& m) {
  m.verdict = in.choice(HandOver::unknown);
  const auto count = in.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) get(in, m.steps.emplace_back());
}

void put(PayloadWriter& out, const HandedOver& m) {
  out.text(m.verdict);
  put(out, m.step);
  const std::size_t calls = std::min(m.calls.size(), kMostExchangeCalls);
  out.number(static_cast<std::uint32_t>(calls));
  for (std::size_t i = 0; i < calls; ++i) {
    put_capped(out, m.calls[i].what, kMaxTypeBytes);
    put_capped(out, m.calls[i].answer, kMaxTypeBytes);
    out.flag(m.calls[i].failed);
  }
  for (const std::string* const text : {&m.line, &m.name, &m.type, &m.error_type, &m.error, &m.read_only, &m.owner, &m.values})
    put_capped(out, *text, kMaxTypeBytes);
}
void get(PayloadReader& in, HandedOver& m) {
  m.verdict = in.text();
  get(in, m.step);
  const auto calls = in.number<std::uint32_t>();
  if (calls > kMostExchangeCalls) in.fail();
  for (std::uint32_t i = 0; i < calls && !in.failed(); ++i) {
    ExchangeCall& call = m.calls.emplace_back();
    call.what = in.text();
    call.answer = in.text();
    call.failed = in.flag();
  }
  for (std::string* const text : {&m.line, &m.name, &m.type, &m.error_type, &m.error, &m.read_only, &m.owner, &m.values})
    *text = in.text();
}

void put(PayloadWriter& out, const Copied& m) {
  out.number(m.bytes);
  out.number(m.ns);
  out.flag(m.compared);
  for (const std::string* const text : {&m.name, &m.type, &m.line}) put_capped(out, *text, kMaxTypeBytes);
}
void get(PayloadReader& in, Copied& m) {
  m.bytes = in.number<std::uint64_t>();
  m.ns = in.number<std::uint64_t>();
  m.compared = in.flag();
  for (std::string* const text : {&m.name, &m.type, &m.line}) *text = in.text();
}

void put(PayloadWriter& out, const ValueFound& m) { out.number(m.element); }
void get(PayloadReader& in, ValueFound& m) { m.element = in.number<std::uint64_t>(); }

void put(PayloadWriter&, const NoResult&) {}
void get(PayloadReader&, NoResult&) {}

void put(PayloadWriter& out, const ValueMatches& m) {
  out.number(m.matches);
  put_optional(out, m.first);
  put_optional(out, m.next);
  out.number(m.searched);
  out.number(m.unreadable);
}
void get(PayloadReader& in, ValueMatches& m) {
  m.matches = in.number<std::uint64_t>();
  m.first = get_optional<std::uint64_t>(in);
  m.next = get_optional<std::uint64_t>(in);
  m.searched = in.number<std::uint64_t>();
  m.unreadable = in.number<std::uint64_t>();
}

void put(PayloadWriter& out, const WorstError& m) {
  put_real(out, m.size);
  put_optional(out, m.value);
}
void get(PayloadReader& in, WorstError& m) {
  m.size = get_real(in);
  m.value = get_optional<std::uint64_t>(in);
}

void put(PayloadWriter& out, const Comparison& m) {
  out.flag(m.same_dtype);
  out.number(m.lanes);
  for (const std::uint64_t count : {m.values, m.different, m.different_bits, m.both_nan, m.one_nan, m.outside}) out.number(count);
  for (const auto& index : {m.first, m.first_bits}) put_optional(out, index);
  for (const WorstError& worst : {m.absolute, m.relative, m.ulps}) put(out, worst);
  for (const auto& hash : {m.hash_a, m.hash_b}) put_optional(out, hash);
}
void get(PayloadReader& in, Comparison& m) {
  m.same_dtype = in.flag();
  m.lanes = in.number<std::uint32_t>();
  if (m.lanes == 0) in.fail();
  for (std::uint64_t* const count : {&m.values, &m.different, &m.different_bits, &m.both_nan, &m.one_nan, &m.outside})
    *count = in.number<std::uint64_t>();
  for (auto* const index : {&m.first, &m.first_bits}) *index = get_optional<std::uint64_t>(in);
  for (WorstError* const worst : {&m.absolute, &m.relative, &m.ulps}) get(in, *worst);
  for (auto* const hash : {&m.hash_a, &m.hash_b}) *hash = get_optional<std::uint64_t>(in);
}

// A variant: the index of its alternative, then that one's fields.
template <class... T>
void put_variant(PayloadWriter& out, const std::variant<T...>& value) {
  out.number(static_cast<std::uint8_t>(value.index()));
  std::visit([&](const auto& m) { put(out, m); }, value);
}
template <class... T>
void get_variant(PayloadReader& in, std::variant<T...>& value) {
  const auto index = in.number<std::uint8_t>();
  if (index >= sizeof...(T)) return in.fail();
  emplace_index(value, index);
  std::visit([&](auto& m) { get(in, m); }, value);
}

void put(PayloadWriter& out, const Start& m) {
  out.number(m.id);
  put_variant(out, m.work);
}
void get(PayloadReader& in, Start& m) {
  m.id = in.number<std::uint64_t>();
  get_variant(in, m.work);
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
  put_variant(out, m.part);
}
void get(PayloadReader& in, Part& m) {
  m.id = in.number<std::uint64_t>();
  get_variant(in, m.part);
}

void put(PayloadWriter& out, const WorkEnded& m) {
  out.number(m.id);
  out.number(static_cast<std::uint8_t>(m.outcome));
  put_capped(out, m.words, kMaxTypeBytes);
  put_variant(out, m.result);
}
void get(PayloadReader& in, WorkEnded& m) {
  m.id = in.number<std::uint64_t>();
  m.outcome = in.choice(WorkOutcome::cancelled);
  m.words = get_bounded(in, 2 * kMaxTypeBytes);
  get_variant(in, m.result);
}

void put(PayloadWriter& out, const LeaseChanged& m) {
  out.number(m.lease);
  out.number(static_cast<std::uint8_t>(m.state));
  out.flag(m.pinned);
  put(out, m.tensor);
  put_capped(out, m.words, kMaxTypeBytes);
}
void get(PayloadReader& in, LeaseChanged& m) {
  m.lease = in.number<std::uint64_t>();
  m.state = in.choice(LeaseState::gone);
  m.pinned = in.flag();
  get(in, m.tensor);
  m.words = get_bounded(in, 2 * kMaxTypeBytes);
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

const char* copy_policy_name(CopyPolicy policy) {
  static constexpr const char* kNames[] = {"if needed", "always", "never"};
  return kNames[static_cast<std::size_t>(policy)];
}

RawMessage encode(const ToHost& message) { return encode_any(message, kFirstKindToHost); }
RawMessage encode(const ToViewer& message) { return encode_any(message, kFirstKindToViewer); }
Result<ToHost> decode_to_host(const RawMessage& raw) { return decode_any<ToHost>(raw, kFirstKindToHost); }
Result<ToViewer> decode_to_viewer(const RawMessage& raw) { return decode_any<ToViewer>(raw, kFirstKindToViewer); }

}  // namespace dlscope::core::wire
