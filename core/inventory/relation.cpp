#include "core/inventory/relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/sharing/sharing.h"

namespace dlscope::core {
namespace {

const PairRecord* find_pair(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  const std::pair wanted(a, b);
  const auto found =
      std::ranges::lower_bound(snapshot.pairs, wanted, {}, [](const PairRecord& p) { return std::pair(p.a, p.b); });
  return found != snapshot.pairs.end() && std::pair(found->a, found->b) == wanted ? &*found : nullptr;
}

bool has_no_bytes(const TensorRecord& tensor) { return tensor.has_layout && tensor.elements == 0; }

// Unreadable is not a reason here, because shape and strides still say where the bytes would be.
UnknownWhy why_place_unknown(const TensorRecord& tensor) {
  if (!tensor.has_metadata) return UnknownWhy::not_described;
  if (!tensor.has_layout) return UnknownWhy::no_layout;
  if (tensor.elements == 0) return UnknownWhy::none;
  if (tensor.space == kNoSpace) return UnknownWhy::no_address;
  return tensor.extent.empty() ? UnknownWhy::null_data : UnknownWhy::none;
}

}  // namespace

UnknownWhy why_bytes_unknown(const Snapshot& snapshot, const TensorRecord& tensor) {
  const UnknownWhy why = why_place_unknown(tensor);
  if (why != UnknownWhy::none || has_no_bytes(tensor)) return why;
  return snapshot.has_remark(tensor, RemarkCode::extent_unreadable) ? UnknownWhy::unreadable : UnknownWhy::none;
}

std::uint64_t count_bytes_unknown(const Snapshot& snapshot) {
  const auto unknown = [&](const TensorRecord& t) { return why_bytes_unknown(snapshot, t) != UnknownWhy::none; };
  return static_cast<std::uint64_t>(std::ranges::count_if(snapshot.tensors, unknown));
}

PairRecord relation_between(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b, const OverlapBudget& budget) {
  if (a > b) std::swap(a, b);
  if (const PairRecord* const listed = find_pair(snapshot, a, b)) return *listed;
  PairRecord out;
  out.a = a;
  out.b = b;
  const TensorRecord& first = snapshot.tensors[a];
  const TensorRecord& second = snapshot.tensors[b];
  const auto unknown = [&](UnknownWhy why) {
    out.relation = Relation::unknown;
    out.why = why;
    return out;
  };
  const auto disjoint = [&] {
    out.relation = Relation::disjoint;
    out.shared_bytes = 0;
    return out;
  };
  if (has_no_bytes(first) || has_no_bytes(second)) return disjoint();
  for (const TensorRecord* const tensor : {&first, &second}) {
    if (const UnknownWhy why = why_place_unknown(*tensor); why != UnknownWhy::none) return unknown(why);
  }
  if (first.space != second.space || !first.extent.meets(second.extent)) return disjoint();
  for (const TensorRecord* const tensor : {&first, &second}) {
    if (const UnknownWhy why = why_bytes_unknown(snapshot, *tensor); why != UnknownWhy::none) return unknown(why);
  }
  return compare_views(a, snapshot.memory_view(first), b, snapshot.memory_view(second), budget);
}

std::optional<WitnessElements> witness_elements(const Snapshot& snapshot, const PairRecord& pair, const OverlapBudget& budget) {
  if (pair.shared_bytes == 0 || pair.shared_bytes == kUnknown64) return std::nullopt;
  const auto in_a = element_at(snapshot.memory_view(snapshot.tensors[pair.a]), pair.witness, budget);
  const auto in_b = in_a ? element_at(snapshot.memory_view(snapshot.tensors[pair.b]), pair.witness, budget) : std::nullopt;
  if (!in_b) return std::nullopt;
  return WitnessElements{*in_a, *in_b};
}

std::uint32_t subject_of(const Snapshot& snapshot, const PairRecord& pair) {
  for (const std::uint32_t id : {pair.a, pair.b}) {
    if (pair.why != UnknownWhy::none && why_bytes_unknown(snapshot, snapshot.tensors[id]) == pair.why) return id;
  }
  return kNone32;
}

std::string text_for_unknown(const Snapshot& snapshot, const PairRecord& pair, std::string_view a, std::string_view b) {
  const std::uint32_t subject = subject_of(snapshot, pair);
  std::string text = unknown_text(pair.why, subject == pair.b ? b : a);
  if (subject == kNone32) return text;
  const TensorRecord& tensor = snapshot.tensors[subject];
  const auto refusals = Snapshot::slice(snapshot.refusals, tensor.refusals);
  if (pair.why == UnknownWhy::not_described && !refusals.empty())
    return fmt::format("{}: {}: {}", text, snapshot.str(refusals.front().type), snapshot.str(refusals.front().message));
  for (const RemarkRecord& remark : Snapshot::slice(snapshot.remarks, tensor.remarks)) {
    if (remark_kind(remark.code) == RemarkKind::problem) return fmt::format("{}: {}", text, snapshot.str(remark.message));
  }
  return text;
}

}  // namespace dlscope::core
