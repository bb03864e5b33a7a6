#include "core/wire/work_payload.h"

#include <algorithm>
#include <string>
#include <variant>

#include "core/wire/act_payload.h"
#include "core/wire/real_payload.h"
#include "core/wire/reduce_payload.h"
#include "core/wire/statistics_payload.h"

namespace dlscope::core::wire {
namespace {

constexpr std::size_t kMaxTypeBytes = 4 << 10;

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
