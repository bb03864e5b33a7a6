#include "core/inventory/unchanged_sharing.h"

#include <algorithm>
#include <utility>

namespace dlscope::core {
namespace {

std::pair<SpaceId, Address> place_of(SpaceId space, Address address) { return {space, address}; }

}  // namespace

UnchangedSharing::UnchangedSharing(const Snapshot& earlier, const Snapshot& now, std::span<const std::uint32_t> unchanged,
                                   std::span<const std::uint8_t> takes_part)
    : earlier_(earlier),
      unchanged_(unchanged),
      cluster_of_tensor_(earlier.tensors.size(), kNone32),
      id_now_(earlier.tensors.size(), kNone32) {
  if (earlier.info.missing_pairs != UnknownWhy::none) return;  // an incomplete list does not show that a pair shares nothing
  find_clusters();
  for (std::uint32_t id = 0; id < unchanged.size(); ++id) {
    if (unchanged[id] != kNone32 && takes_part[id] != 0 && took_part(unchanged[id])) id_now_[unchanged[id]] = id;
  }
  note_new_tensors(now, takes_part);
  note_lost_tensors();
  note_open_questions();
  forget_changed_clusters();
}

// Groups are sorted by begin: consecutive ones whose ranges overlap form a cluster.
void UnchangedSharing::find_clusters() {
  clusters_.reserve(earlier_.groups.size());
  for (const GroupRecord& group : earlier_.groups) {
    if (clusters_.empty() || clusters_.back().space != group.space || group.range.begin >= clusters_.back().range.end)
      clusters_.push_back({group.space, group.range});
    Cluster& cluster = clusters_.back();
    cluster.range.end = std::max(cluster.range.end, group.range.end);
    cluster.changed = cluster.changed || group.distinct_bytes == kUnknown64;  // the count may succeed this time
    const auto index = static_cast<std::uint32_t>(clusters_.size() - 1);
    for (const std::uint32_t tensor : Snapshot::slice(earlier_.group_members, group.members)) cluster_of_tensor_[tensor] = index;
  }
}

// A tensor that is new or was not compared before marks every cluster that its extent meets as changed.
void UnchangedSharing::note_new_tensors(const Snapshot& now, std::span<const std::uint8_t> takes_part) {
  std::vector<std::pair<SpaceId, ByteRange>> extents;
  for (std::uint32_t id = 0; id < takes_part.size(); ++id) {
    if (takes_part[id] != 0 && !holds_for(id)) extents.emplace_back(now.tensors[id].space, now.tensors[id].extent);
  }
  std::ranges::sort(extents, {}, [](const auto& e) { return place_of(e.first, e.second.begin); });
  auto next = clusters_.begin();  // clusters before this one are marked, or end before every later extent begins
  for (const auto& [space, extent] : extents) {
    next = std::partition_point(next, clusters_.end(), [&](const Cluster& c) {
      return c.space < space || (c.space == space && c.range.end <= extent.begin);
    });
    while (next != clusters_.end() && next->space == space && next->range.begin < extent.end) (next++)->changed = true;
  }
}

// A tensor that is gone, or has another position among the tensors of its
// cluster, marks the cluster as changed: the order of tensors affects the result.
void UnchangedSharing::note_lost_tensors() {
  for (std::uint32_t before = 0; before < id_now_.size(); ++before) {
    if (!took_part(before)) continue;
    Cluster& cluster = cluster_of(before);
    const std::uint32_t id = id_now_[before];
    if (id == kNone32 || (cluster.last_id != kNone32 && id < cluster.last_id)) cluster.changed = true;
    cluster.last_id = id;
  }
}

// Clusters with undecided pairs are computed again, because the budget may
// suffice this time. (Pairs with an unreadable tensor are listed again anyway.)
void UnchangedSharing::note_open_questions() {
  for (const PairRecord& pair : earlier_.pairs) {
    if (pair.relation == Relation::unknown && took_part(pair.a) && took_part(pair.b)) cluster_of(pair.a).changed = true;
  }
}

void UnchangedSharing::forget_changed_clusters() {
  for (std::uint32_t before = 0; before < id_now_.size(); ++before) {
    if (id_now_[before] != kNone32 && cluster_of(before).changed) id_now_[before] = kNone32;
  }
  for (const PairRecord& pair : earlier_.pairs) {
    if (id_now_[pair.a] != kNone32 && id_now_[pair.b] != kNone32) ++pair_count_;
  }
}

Sharing UnchangedSharing::join(Sharing found) const {
  found.pairs = join_pairs(found.pairs);
  join_groups(found);
  return found;
}

// Pairs with the same lower id are consecutive and belong to one cluster, so they stay in their order.
std::vector<SharingPair> UnchangedSharing::join_pairs(std::span<const SharingPair> found) const {
  std::vector<SharingPair> out;
  out.reserve(pair_count_ + found.size());
  auto kept = earlier_.pairs.begin();
  auto fresh = found.begin();
  for (std::uint32_t id = 0; id < unchanged_.size(); ++id) {
    for (; fresh != found.end() && fresh->a == id; ++fresh) out.push_back(*fresh);
    if (!holds_for(id)) continue;
    const std::uint32_t before = unchanged_[id];
    const bool is_behind = kept != earlier_.pairs.begin() && (kept - 1)->a >= before;  // true: the tensors changed their order
    if (is_behind || (kept != earlier_.pairs.end() && kept->a < before))
      kept =
          std::ranges::lower_bound(is_behind ? earlier_.pairs.begin() : kept, earlier_.pairs.end(), before, {}, &PairRecord::a);
    for (; kept != earlier_.pairs.end() && kept->a == before; ++kept) {
      if (id_now_[kept->b] == kNone32) continue;
      SharingPair& pair = out.emplace_back(*kept);
      pair.a = id;
      pair.b = id_now_[kept->b];
    }
  }
  return out;
}

// Both lists are sorted by (space, begin), and no kept group lies between two new ones of one cluster.
void UnchangedSharing::join_groups(Sharing& found) const {
  Sharing out;
  out.groups.reserve(earlier_.groups.size() + found.groups.size());
  out.members.reserve(earlier_.group_members.size() + found.members.size());
  const auto add_found = [&](const SharingGroup& group) {
    out.groups.push_back(group);
    out.groups.back().first_member = static_cast<std::uint32_t>(out.members.size());
    const std::span<const std::uint32_t> members = found.members_of(group);
    out.members.insert(out.members.end(), members.begin(), members.end());
  };
  auto fresh = found.groups.begin();
  for (const GroupRecord& group : earlier_.groups) {
    const std::span<const std::uint32_t> members = Snapshot::slice(earlier_.group_members, group.members);
    if (id_now_[members.front()] == kNone32) continue;
    for (; fresh != found.groups.end() && place_of(fresh->space, fresh->range.begin) < place_of(group.space, group.range.begin);
         ++fresh)
      add_found(*fresh);
    out.groups.push_back(
        {group.range, group.distinct_bytes, static_cast<std::uint32_t>(out.members.size()), group.members.count, group.space});
    for (const std::uint32_t before : members) out.members.push_back(id_now_[before]);
  }
  for (; fresh != found.groups.end(); ++fresh) add_found(*fresh);
  found.groups = std::move(out.groups);
  found.members = std::move(out.members);
}

}  // namespace dlscope::core
