#include "core/wire/work_payload.h"

#include <algorithm>
#include <string>
#include <variant>

#include "core/wire/real_payload.h"
#include "core/wire/reduce_payload.h"
#include "core/wire/statistics_payload.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kMaxTypeBytes = 4 << 10;
// Of each text of a proof's step, and of each text about one of its sides: kMaxProved steps fit into one message.
constexpr std::size_t kMaxStepBytes = 900, kMaxSideBytes = 80;

void put(PayloadWriter& out, const FindValue& m) {
  put(out, m.tensor);
  out.number(static_cast<std::uint8_t>(m.sought));
  out.text(m.text);
  out.number(m.from);
}
void get(PayloadReader& in, FindValue& m) {
  get(in, m.tensor);
  m.sought = in.choice(SearchedValue::equal);
  m.text = get_bounded(in, kMaxValueTextBytes);
  m.from = in.number<std::uint64_t>();
}

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

void put(PayloadWriter& out, const ReduceTensor& m) {
  put(out, m.tensor);
  put(out, m.axes);
  put(out, m.window);
  out.number(m.most_exact);
}
void get(PayloadReader& in, ReduceTensor& m) {
  get(in, m.tensor);
  get(in, m.axes);
  get(in, m.window);
  m.most_exact = in.number<std::uint64_t>();
}

void put(PayloadWriter& out, const SubtractTensors& m) {
  put(out, m.a);
  put(out, m.b);
  put(out, m.axes);
  put(out, m.window);
  out.number(static_cast<std::uint8_t>(m.kind));
  out.number(m.most_exact);
}
void get(PayloadReader& in, SubtractTensors& m) {
  get(in, m.a);
  get(in, m.b);
  get(in, m.axes);
  get(in, m.window);
  m.kind = in.choice(DifferenceKind::unequal);
  m.most_exact = in.number<std::uint64_t>();
}

void put(PayloadWriter& out, const ReadDevice& m) {
  out.number(m.ordinal);
  out.number(m.each);
  out.number(static_cast<std::uint32_t>(m.addresses.size()));
  for (const Address address : m.addresses) out.number(address);
}
void get(PayloadReader& in, ReadDevice& m) {
  m.ordinal = in.number<std::int32_t>();
  m.each = in.number<std::uint32_t>();
  const auto count = in.number<std::uint32_t>();
  if (count > kMaxDevicePieces || std::uint64_t{count} * m.each > kMaxDeviceBytes) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) m.addresses.push_back(in.number<Address>());
}

void put(PayloadWriter& out, const DeviceBytes& m) {
  out.text({reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()});
  out.text({reinterpret_cast<const char*>(m.complete.data()), m.complete.size()});
  put_capped(out, m.problem, kMaxTypeBytes);
}
void get(PayloadReader& in, DeviceBytes& m) {
  const std::string bytes = get_bounded(in, kMaxDeviceBytes), complete = get_bounded(in, kMaxDevicePieces);
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  m.bytes.assign(first, first + bytes.size());
  m.complete.assign(complete.begin(), complete.end());
  m.problem = in.text();
}

void put_bytes(PayloadWriter& out, const std::vector<std::byte>& bytes) {
  out.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
std::vector<std::byte> get_bytes(PayloadReader& in, std::size_t most) {
  const std::string text = get_bounded(in, most);
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

void put(PayloadWriter& out, const WriteBytes& m) {
  put(out, m.tensor);
  out.number(m.address);
  put_bytes(out, m.expected);
  put_bytes(out, m.bytes);
}
void get(PayloadReader& in, WriteBytes& m) {
  get(in, m.tensor);
  m.address = in.number<Address>();
  m.expected = get_bytes(in, kMaxWrittenBytes);
  m.bytes = get_bytes(in, kMaxWrittenBytes);
  if (m.bytes.empty() || m.bytes.size() != m.expected.size()) in.fail();
}

void put(PayloadWriter& out, const BytesWritten& m) { put_bytes(out, m.now); }
void get(PayloadReader& in, BytesWritten& m) { m.now = get_bytes(in, kMaxWrittenBytes); }

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
  if (count > kMaxSummaries) return in.fail();
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
  if (count < 2 || count > kMaxProved) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) m.tensors.push_back(in.number<std::uint32_t>());
  m.pairs = in.flag();
  m.probe = in.flag();
  if (m.pairs && count % 2 != 0) in.fail();
}

void put(PayloadWriter& out, const std::vector<AxisSlice>& slice) {
  out.number(static_cast<std::uint32_t>(slice.size()));
  for (const AxisSlice& one : slice) {
    out.number(one.axis);
    for (const std::int64_t number : {one.start, one.count, one.step}) out.number(static_cast<std::uint64_t>(number));
  }
}
void get(PayloadReader& in, std::vector<AxisSlice>& slice) {
  const auto count = in.number<std::uint32_t>();
  if (count > kMaxRank) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    AxisSlice& one = slice.emplace_back();
    one.axis = in.number<std::uint32_t>();
    for (std::int64_t* const number : {&one.start, &one.count, &one.step})
      *number = static_cast<std::int64_t>(in.number<std::uint64_t>());
    if (one.axis >= kMaxRank || one.start < 0 || one.count < 0) in.fail();
  }
}

void put(PayloadWriter& out, const HandTo& m) {
  put(out, m.tensor);
  out.text(m.library);
  out.text(m.device);
  out.number(static_cast<std::uint8_t>(m.copy));
  out.text(m.name);
  out.text(m.stream);
  put(out, m.slice);
}
void get(PayloadReader& in, HandTo& m) {
  get(in, m.tensor);
  m.library = get_bounded(in, kMaxWorkTextBytes);
  m.device = get_bounded(in, kMaxWorkTextBytes);
  m.copy = in.choice(CopyPolicy::never);
  m.name = get_bounded(in, kMaxWorkTextBytes);
  m.stream = get_bounded(in, kMaxWorkTextBytes);
  get(in, m.slice);
}

void put(PayloadWriter& out, const CopyTensor& m) {
  put(out, m.tensor);
  out.flag(m.keep_order);
  out.text(m.dtype);
  out.text(m.library);
  out.text(m.name);
  out.text(m.device);
  put(out, m.slice);
}
void get(PayloadReader& in, CopyTensor& m) {
  get(in, m.tensor);
  m.keep_order = in.flag();
  m.dtype = get_bounded(in, kMaxWorkTextBytes);
  m.library = get_bounded(in, kMaxWorkTextBytes);
  m.name = get_bounded(in, kMaxWorkTextBytes);
  m.device = get_bounded(in, kMaxWorkTextBytes);
  get(in, m.slice);
}

void put_side_text(PayloadWriter& out, const std::string& text) { out.text(utf8_prefix(text, kMaxSideBytes)); }

void put(PayloadWriter& out, const ProofSide& m) {
  for (const std::string* const text : {&m.library, &m.version, &m.dtype}) put_side_text(out, *text);
  for (const std::uint8_t choice : {static_cast<std::uint8_t>(m.protocol), static_cast<std::uint8_t>(m.capsule),
                                    static_cast<std::uint8_t>(m.given_by), static_cast<std::uint8_t>(m.read_only),
                                    static_cast<std::uint8_t>(m.is_copied), static_cast<std::uint8_t>(m.subbyte_padded)})
    out.number(choice);
  out.number(m.version_major);
  out.number(m.version_minor);
  out.flag(m.extent.has_value());
  if (m.extent) {
    out.number(m.extent->begin);
    out.number(m.extent->end);
  }
  out.number(m.unknown_flags);
  put_optional(out, m.hash_before);
  put_optional(out, m.hash_after);
}
void get(PayloadReader& in, ProofSide& m) {
  for (std::string* const text : {&m.library, &m.version, &m.dtype}) *text = get_bounded(in, kMaxSideBytes);
  m.protocol = in.choice(Protocol::attributes);
  m.capsule = in.choice(CapsuleKind::dltensor_versioned);
  m.given_by = in.choice(GivenBy::held_capsule);
  for (Tri* const flag : {&m.read_only, &m.is_copied, &m.subbyte_padded}) *flag = in.choice(Tri::yes);
  m.version_major = in.number<std::uint16_t>();
  m.version_minor = in.number<std::uint16_t>();
  if (in.flag()) {
    const auto begin = in.number<Address>(), end = in.number<Address>();
    if (end < begin) in.fail();
    m.extent = ByteRange{begin, end};
  }
  m.unknown_flags = in.number<std::uint64_t>();
  m.hash_before = get_optional<std::uint64_t>(in);
  m.hash_after = get_optional<std::uint64_t>(in);
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
  put(out, m.from_side);
  put(out, m.to_side);
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
  get(in, m.from_side);
  get(in, m.to_side);
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
  const std::size_t calls = std::min(m.calls.size(), kMaxExchangeCalls);
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
  if (calls > kMaxExchangeCalls) in.fail();
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
  out.number(m.plain_ns);
  for (const std::string* const text : {&m.name, &m.type, &m.line, &m.path, &m.why_not_compared})
    put_capped(out, *text, kMaxTypeBytes);
}
void get(PayloadReader& in, Copied& m) {
  m.bytes = in.number<std::uint64_t>();
  m.ns = in.number<std::uint64_t>();
  m.compared = in.flag();
  m.plain_ns = in.number<std::uint64_t>();
  for (std::string* const text : {&m.name, &m.type, &m.line, &m.path, &m.why_not_compared}) *text = in.text();
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

}  // namespace

bool is_act(const Work& work) { return work.index() >= std::variant_size_v<TaskWork>; }

std::variant<TaskWork, ActWork> task_or_act(Work work) {
  return std::visit([](auto& kind) { return std::variant<TaskWork, ActWork>(std::move(kind)); }, work);
}

const char* copy_policy_name(CopyPolicy policy) {
  static constexpr const char* kNames[] = {"if needed", "always", "never"};
  return kNames[static_cast<std::size_t>(policy)];
}

void put(PayloadWriter& out, const TensorRef& m) {
  out.number(m.revision);
  out.number(m.tensor);
  out.number(m.field);
}
void get(PayloadReader& in, TensorRef& m) {
  m.revision = in.number<std::uint64_t>();
  m.tensor = in.number<std::uint32_t>();
  m.field = in.number<std::uint16_t>();
}

void put(PayloadWriter& out, const Work& work) { put_variant(out, work); }
void get(PayloadReader& in, Work& work) { get_variant(in, work); }
void put(PayloadWriter& out, const WorkPart& part) { put_variant(out, part); }
void get(PayloadReader& in, WorkPart& part) { get_variant(in, part); }
void put(PayloadWriter& out, const WorkResult& result) { put_variant(out, result); }
void get(PayloadReader& in, WorkResult& result) { get_variant(in, result); }

}  // namespace dlscope::core::wire
