#include "core/wire/act_payload.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/wire/work_payload.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kMaxTypeBytes = 4 << 10;
// Of each text of a proof's step, and of each text about one of its sides: kMaxProved steps fit into one message.
constexpr std::size_t kMaxStepBytes = 900, kMaxSideBytes = 80;

void put_bytes(PayloadWriter& out, const std::vector<std::byte>& bytes) {
  out.text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
std::vector<std::byte> get_bytes(PayloadReader& in, std::size_t most) {
  const std::string text = get_bounded(in, most);
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
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

}  // namespace

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

}  // namespace dlscope::core::wire
