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
  if (is_copy_for_export(tensor)) return UnknownWhy::copied_for_export;
  if (tensor.space == kNoSpace) return UnknownWhy::no_address;
  return tensor.extent.empty() ? UnknownWhy::null_data : UnknownWhy::none;
}

// SYCL memory of the kinds "host" and "shared" is the host's, too, at the same addresses; DLPack has one device type for all
// kinds. Where the address map shows it, the analysis has put the tensor into the host's space; elsewhere it is not known.
bool is_one_api_elsewhere(DeviceId device, SpaceId space) {
  constexpr std::int32_t kOneApi = 14;
  return device.type == kOneApi && space != kHostSpace;
}

bool may_be_the_hosts(const TensorRecord& tensor) { return is_one_api_elsewhere(tensor.device, tensor.space); }

// Why it is not certain that the tensor is in its space and `other` is not; none: it is.
UnknownWhy why_space_uncertain(const Snapshot& snapshot, const TensorRecord& tensor, const TensorRecord& other) {
  if (contradiction_about_device(snapshot, tensor)) return UnknownWhy::device_contradicted;
  const bool meets = other.space == kHostSpace && tensor.extent.meets(other.extent);
  return meets && may_be_the_hosts(tensor) ? UnknownWhy::host_or_device : UnknownWhy::none;
}

// Whether this is a reason why something about the tensor is unknown.
bool is_why(const Snapshot& snapshot, const TensorRecord& tensor, UnknownWhy why) {
  if (why == UnknownWhy::device_contradicted) return contradiction_about_device(snapshot, tensor).has_value();
  if (why == UnknownWhy::host_or_device) return may_be_the_hosts(tensor);
  return why != UnknownWhy::none && why_bytes_unknown(snapshot, tensor) == why;
}

// Whether a page is also mapped elsewhere is found with the sharing.
bool were_mappings_never_found(const Snapshot& snapshot) {
  return snapshot.info.open_groups == UnknownWhy::stopped && snapshot.groups.empty();
}

bool is_in_file_pages(const Snapshot& snapshot, const TensorRecord& tensor) {
  return snapshot.has_remark(tensor, RemarkCode::same_file_pages);
}

// Before the mappings are found, and where they never were, extents that do not meet say nothing.
UnknownWhy why_other_mappings_unknown(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  if (snapshot.sharing_not_yet()) return UnknownWhy::not_yet;
  // Without the address map of the process (AnalyseOptions::map_problem) no host tensor is known to be readable.
  const auto is_unmapped = [&](const TensorRecord& t) { return snapshot.has_remark(t, RemarkCode::extent_unreadable); };
  if (snapshot.info.open_groups >= UnknownWhy::unreadable && a.space == kHostSpace && is_unmapped(a) && is_unmapped(b))
    return UnknownWhy::unreadable;
  return were_mappings_never_found(snapshot) ? UnknownWhy::stopped : UnknownWhy::none;
}

}  // namespace

bool may_be_the_hosts(const Snapshot& snapshot, SpaceId space) {
  return is_one_api_elsewhere(snapshot.device_of(space), space);
}

UnknownWhy why_spaces_uncertain(const Snapshot& snapshot, const TensorRecord& a, const TensorRecord& b) {
  const UnknownWhy why = why_space_uncertain(snapshot, a, b);
  return why == UnknownWhy::none ? why_space_uncertain(snapshot, b, a) : why;
}

std::optional<std::string_view> contradiction_about_device(const Snapshot& snapshot, const TensorRecord& tensor) {
  const auto is_host = [](DeviceId device) { return device_memory(device) == DeviceMemory::host; };
  const DriverDeviceRecord* const told = snapshot.driver_device_of(tensor);
  // The first one is about the object and its capsule where these differ; any other is the driver's or the address map's.
  bool is_own = tensor.has_claimed_device && tensor.claimed_device != tensor.device;
  for (const RemarkRecord& remark : Snapshot::slice(snapshot.remarks, tensor.remarks)) {
    if (remark.code != RemarkCode::device_mismatch) continue;
    const DeviceId* const found = told != nullptr ? &told->device : nullptr;
    const DeviceId* const other = std::exchange(is_own, false) ? &tensor.claimed_device : found;
    const bool are_both_host = is_host(tensor.device) && other != nullptr && is_host(*other);
    if (!are_both_host) return snapshot.str(remark.message);
  }
  return std::nullopt;
}

bool may_share_elsewhere(const Snapshot& snapshot, const TensorRecord& tensor) {
  if (snapshot.sharing_not_yet() || were_mappings_never_found(snapshot)) return true;
  return tensor.page_shift != 0 || is_in_file_pages(snapshot, tensor);
}

UnknownWhy why_bytes_unknown(const Snapshot& snapshot, const TensorRecord& tensor) {
  const UnknownWhy why = why_place_unknown(tensor);
  if (why != UnknownWhy::none || has_no_bytes(tensor)) return why;
  return snapshot.has_remark(tensor, RemarkCode::extent_unreadable) ? UnknownWhy::unreadable : UnknownWhy::none;
}

std::uint64_t count_bytes_unknown(const Snapshot& snapshot) {
  const auto unknown = [&](const TensorRecord& t) { return why_bytes_unknown(snapshot, t) != UnknownWhy::none; };
  return static_cast<std::uint64_t>(std::ranges::count_if(snapshot.tensors, unknown));
}

std::optional<PairRecord> known_relation(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
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
  if (first.space != second.space) {
    const UnknownWhy why = why_spaces_uncertain(snapshot, first, second);
    return why == UnknownWhy::none ? disjoint() : unknown(why);
  }
  const bool meet = first.extent.meets(second.extent) ||
                    Snapshot::compared_extent(first).meets(Snapshot::compared_extent(second));
  if (!meet) {
    if (const UnknownWhy why = why_other_mappings_unknown(snapshot, first, second); why != UnknownWhy::none) return unknown(why);
    const bool would_be_listed = snapshot.info.missing_pairs == UnknownWhy::none;
    if (would_be_listed || !is_in_file_pages(snapshot, first) || !is_in_file_pages(snapshot, second)) return disjoint();
    return unknown(UnknownWhy::same_file_pages);
  }
  for (const TensorRecord* const tensor : {&first, &second}) {
    if (const UnknownWhy why = why_bytes_unknown(snapshot, *tensor); why != UnknownWhy::none) return unknown(why);
  }
  return std::nullopt;
}

PairRecord relation_between(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b, const OverlapBudget& budget) {
  if (const auto known = known_relation(snapshot, a, b)) return *known;
  if (a > b) std::swap(a, b);
  const TensorRecord &first = snapshot.tensors[a], &second = snapshot.tensors[b];
  PairRecord out = compare_views(a, snapshot.compared_view(first), b, snapshot.compared_view(second), budget);
  out.witness -= first.page_shift;
  return out;
}

Address witness_in(const Snapshot& snapshot, const PairRecord& pair, std::uint32_t tensor) {
  return pair.witness + snapshot.tensors[pair.a].page_shift - snapshot.tensors[tensor].page_shift;
}

std::optional<WitnessElements> witness_elements(const Snapshot& snapshot, const PairRecord& pair, const OverlapBudget& budget) {
  if (pair.shared_bytes == 0 || pair.shared_bytes == kUnknown64) return std::nullopt;
  const auto in_a = element_at(snapshot.memory_view(snapshot.tensors[pair.a]), pair.witness, budget);
  const Address at_b = witness_in(snapshot, pair, pair.b);
  const auto in_b = in_a ? element_at(snapshot.memory_view(snapshot.tensors[pair.b]), at_b, budget) : std::nullopt;
  if (!in_b) return std::nullopt;
  return WitnessElements{*in_a, *in_b};
}

std::uint32_t subject_of(const Snapshot& snapshot, const PairRecord& pair) {
  for (const std::uint32_t id : {pair.a, pair.b}) {
    if (is_why(snapshot, snapshot.tensors[id], pair.why)) return id;
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
