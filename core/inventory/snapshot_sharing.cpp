// SnapshotBuilder::find_groups_and_pairs: finds which tensors share bytes and stores the result as records.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/delayed_call.h"
#include "core/inventory/same_file_pages.h"
#include "core/inventory/snapshot_builder.h"
#include "core/inventory/unchanged_sharing.h"
#include "core/inventory/unreadable_pairs.h"

namespace dlscope::core {
namespace {

void merge_pairs(std::vector<SharingPair>& into, std::span<const SharingPair> more) {  // both are sorted
  const auto known = static_cast<std::ptrdiff_t>(into.size());
  into.insert(into.end(), more.begin(), more.end());
  std::ranges::inplace_merge(into, into.begin() + known, {}, [](const SharingPair& p) { return std::pair(p.a, p.b); });
}

// No view of one shares bytes with one of the other.
void join(Sharing& into, const Sharing& more) {
  merge_pairs(into.pairs, more.pairs);
  const auto members = static_cast<std::uint32_t>(into.members.size());
  into.members.insert(into.members.end(), more.members.begin(), more.members.end());
  for (SharingGroup group : more.groups) {
    group.first_member += members;
    into.groups.push_back(group);
  }
  std::ranges::sort(into.groups, {}, [](const SharingGroup& g) { return std::pair(g.space, g.range.begin); });
  into.missing_pairs = std::max(into.missing_pairs, more.missing_pairs);
  into.open_groups = std::max(into.open_groups, more.open_groups);
  into.spent += more.spent;
}

// What is left of the work for all pairs together.
SharingLimits after(SharingLimits limits, std::uint64_t spent) {
  limits.work -= std::min(limits.work, spent);
  return limits;
}

// The page_shift of the member with the lowest address.
Address shift_of_lowest(const Snapshot& s, std::span<const std::uint32_t> members) {
  const auto address = [&](std::uint32_t id) { return s.tensors[id].extent.begin; };
  return s.tensors[*std::ranges::min_element(members, {}, address)].page_shift;
}

}  // namespace

template <class Predicate>
std::vector<SharingItem> SnapshotBuilder::items_where(Predicate takes_part, MemoryView (Snapshot::*view)(const TensorRecord&) const)
    const {
  const Snapshot& s = *snapshot_;
  std::vector<SharingItem> items;
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    if (!takes_part(id)) continue;
    const TensorRecord& t = s.tensors[id];
    items.push_back({id, t.space, (s.*view)(t), t.distinct_bytes});
  }
  return items;
}

// Tensors whose pages are mapped at several addresses share bytes with each other only.
Sharing SnapshotBuilder::sharing_of_aliased(const SharingLimits& limits) const {
  const Snapshot& s = *snapshot_;
  const auto is_aliased = [&](std::uint32_t id) { return is_compared_[id] != 0 && s.tensors[id].page_shift != 0; };
  Sharing found = find_sharing(items_where(is_aliased, &Snapshot::compared_view), limits);
  for (SharingPair& pair : found.pairs) pair.witness -= s.tensors[pair.a].page_shift;
  for (SharingGroup& group : found.groups) {
    const Address shift = shift_of_lowest(s, found.members_of(group));
    group.range = {group.range.begin - shift, group.range.end - shift};
  }
  return found;
}

// Takes over what an earlier analysis found where nothing has changed, and computes the rest.
Sharing SnapshotBuilder::sharing_of_readable(const AnalyseOptions& options, std::span<const std::uint8_t> takes_part) const {
  const SharingLimits& limits = options.sharing;
  const auto is_compared = [&](std::uint32_t id) { return takes_part[id] != 0; };
  if (std::optional<Sharing> refreshed = refreshed_sharing(options, takes_part)) return std::move(*refreshed);
  return find_sharing(items_where(is_compared), limits);
}

// nullopt: there is nothing to take over, or too little to be worth more than it costs.
std::optional<Sharing> SnapshotBuilder::refreshed_sharing(const AnalyseOptions& options,
                                                          std::span<const std::uint8_t> takes_part) const {
  // Finding out what holds, and joining it with the rest, costs about a third of finding it.
  constexpr std::size_t kLeastShare = 3;
  const auto is_known = [](std::uint32_t before) { return before != kNone32; };
  const auto known = static_cast<std::size_t>(std::ranges::count_if(unchanged_, is_known));
  if (known == 0 || known < unchanged_.size() / kLeastShare) return std::nullopt;
  const UnchangedSharing unchanged(*options.earlier, *snapshot_, unchanged_, takes_part);
  if (unchanged.tensor_count() == 0 || unchanged.tensor_count() < unchanged_.size() / kLeastShare) return std::nullopt;
  const SharingLimits& limits = options.sharing;
  if (unchanged.pair_count() > limits.max_pairs) return std::nullopt;
  SharingLimits rest = limits;
  rest.max_pairs -= unchanged.pair_count();
  Sharing found = find_sharing(items_where([&](std::uint32_t id) { return takes_part[id] != 0 && !unchanged.holds_for(id); }), rest);
  // With a bounded list, which pairs it contains has to be decided over all of them, with the work that all may take.
  if (found.missing_pairs == UnknownWhy::pair_bound) return std::nullopt;
  return unchanged.join(std::move(found));
}

// Tensors without a page_shift by what an earlier analysis found, those with one anew.
Sharing SnapshotBuilder::sharing_of_all(const AnalyseOptions& options) const {
  const Snapshot& s = *snapshot_;
  if (!any_aliased_) return sharing_of_readable(options, is_compared_);
  std::vector<std::uint8_t> mapped_once = is_compared_;
  for (std::uint32_t id = 0; id < s.tensors.size(); ++id) {
    if (s.tensors[id].page_shift != 0) mapped_once[id] = 0;
  }
  Sharing sharing = sharing_of_readable(options, mapped_once);
  join(sharing, sharing_of_aliased(after(options.sharing, sharing.spent)));
  return sharing;
}

// While it is being found, nothing is written to the snapshot, so that another thread may copy it.
Sharing SnapshotBuilder::sharing_in_time(const AnalyseOptions& options) const {
  std::optional<DelayedCall> late;
  if (options.unfinished) late.emplace(options.unfinished_after, [&] { options.unfinished(without_sharing()); });
  return sharing_of_all(options);
}

std::shared_ptr<Snapshot> SnapshotBuilder::without_sharing() const {
  SnapshotBuilder copy(*this);
  copy.snapshot_ = std::make_shared<Snapshot>(*snapshot_);
  copy.snapshot_->info.missing_pairs = copy.snapshot_->info.open_groups = UnknownWhy::not_yet;
  return copy.finish();
}

bool SnapshotBuilder::add_pairs_in_same_file_pages(const AddressMap& map, const SharingLimits& limits) {
  Snapshot& s = *snapshot_;
  const FilePagePairs found = pairs_in_same_file_pages(s, is_compared_, PrivateAliases(map), limits);
  merge_pairs(s.pairs, found.pairs);
  s.info.missing_pairs = std::max(s.info.missing_pairs, found.missing_pairs);
  for (const std::uint32_t id : found.tensors) {
    add_remark(id, RemarkCode::same_file_pages, "pages of its file are also mapped at another address");
  }
  return found.over_budget;
}

std::vector<std::uint8_t> SnapshotBuilder::doubtful_tensors() const {
  const std::vector<TensorRecord>& tensors = snapshot_->tensors;
  std::vector<std::uint8_t> doubtful(tensors.size());
  for (std::size_t id = 0; id < tensors.size(); ++id) doubtful[id] = unreadable_[id] != 0 && has_bytes_at_address(tensors[id]);
  return doubtful;
}

// Unreadable tensors are not put into groups, because a struct with a
// wrong size would connect everything. Their pairs are listed as unknown.
void SnapshotBuilder::find_groups_and_pairs(const AnalyseOptions& options) {
  Snapshot& s = *snapshot_;
  const SharingLimits& limits = options.sharing;
  Sharing sharing = sharing_in_time(options);
  const UnreadablePairs doubtful = pairs_with_unreadable(s, doubtful_tensors(), is_compared_, limits.max_pairs, limits.stop);
  s.info.missing_pairs = std::max(sharing.missing_pairs, doubtful.missing_pairs);
  s.info.open_groups = std::max(sharing.open_groups, doubtful.missing_pairs);
  if (is_map_missed_) s.info.open_groups = std::max(s.info.open_groups, UnknownWhy::unreadable);
  s.pairs = std::move(sharing.pairs);
  merge_pairs(s.pairs, doubtful.pairs);
  bool over_budget = options.map != nullptr && add_pairs_in_same_file_pages(*options.map, after(limits, sharing.spent));
  if (s.pairs.size() > limits.max_pairs) {  // each part has kept to the limit
    s.pairs.resize(limits.max_pairs);
    s.info.missing_pairs = std::max(s.info.missing_pairs, UnknownWhy::pair_bound);
    s.info.open_groups = std::max(s.info.open_groups, UnknownWhy::pair_bound);
  }
  s.groups.reserve(sharing.groups.size());
  s.group_members.reserve(sharing.members.size());
  for (const SharingGroup& group : sharing.groups) add_group(group, sharing.members_of(group));
  over_budget = over_budget || std::ranges::find(s.pairs, UnknownWhy::over_budget, &PairRecord::why) != s.pairs.end();
  add_limit("pairs", limits.max_pairs, s.info.missing_pairs != UnknownWhy::none && s.pairs.size() == limits.max_pairs);
  add_limit("overlap_work", limits.work, over_budget || s.info.open_groups == UnknownWhy::over_budget);
}

void SnapshotBuilder::add_group(const SharingGroup& group, std::span<const std::uint32_t> members) {
  Snapshot& s = *snapshot_;
  const auto id = static_cast<std::uint32_t>(s.groups.size());
  GroupRecord out;
  out.range = group.range;
  out.space = group.space;
  out.distinct_bytes = group.distinct_bytes;
  out.members = {static_cast<std::uint32_t>(s.group_members.size()), group.member_count};
  out.libraries.first = static_cast<std::uint32_t>(s.group_libraries.size());
  for (const std::uint32_t member : members) {
    TensorRecord& t = s.tensors[member];
    t.group = id;
    s.group_members.push_back(member);
    const auto begin = s.group_libraries.begin() + out.libraries.first;
    const bool known =
        std::any_of(begin, s.group_libraries.end(), [&](TextRef library) { return library.offset == t.library.offset; });
    if (t.library.length != 0 && !known) s.group_libraries.push_back(t.library);
  }
  out.libraries.count = static_cast<std::uint32_t>(s.group_libraries.size()) - out.libraries.first;
  if (!members.empty()) out.device = s.tensors[members.front()].device;
  if (any_aliased_ && !members.empty()) out.page_shift = shift_of_lowest(s, members);
  s.groups.push_back(out);
}

}  // namespace dlscope::core
