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
  find_runs();
  find_pairs_of_runs();
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
    if (cluster.last_id == kNone32) cluster.shift = id - before;
    cluster.is_shifted = cluster.is_shifted && id - before == cluster.shift;
    cluster.last_id = id;
  }
}

// Clusters with undecided pairs are computed again, because the budget may suffice this time. Pairs with an unreadable tensor are
// listed again anyway, and must not be copied with the others.
void UnchangedSharing::note_open_questions() {
  for (const PairRecord& pair : earlier_.pairs) {
    if (pair.relation != Relation::unknown) continue;
    const bool a_took_part = took_part(pair.a), b_took_part = took_part(pair.b);
    if (a_took_part && b_took_part)
      cluster_of(pair.a).changed = true;
    else if (a_took_part)
      cluster_of(pair.a).is_shifted = false;
  }
}

void UnchangedSharing::forget_changed_clusters() {
  for (std::uint32_t before = 0; before < id_now_.size(); ++before) {
    if (id_now_[before] == kNone32) continue;
    if (cluster_of(before).changed)
      id_now_[before] = kNone32;
    else
      ++tensor_count_;
  }
}

void UnchangedSharing::find_runs() {
  for (std::uint32_t before = 0; before < id_now_.size(); ++before) {
    if (id_now_[before] == kNone32) continue;
    const std::uint32_t shift = id_now_[before] - before;
    const bool is_shifted = cluster_of(before).is_shifted;
    Run* const last = runs_.empty() ? nullptr : &runs_.back();
    if (last != nullptr && last->before + last->count == before && last->shift == shift && last->is_shifted == is_shifted)
      ++last->count;
    else
      runs_.push_back({before, 1, shift, is_shifted});
  }
}

// A search for the two ends of each run. Only pairs of which one tensor was not compared are looked at one by one.
void UnchangedSharing::find_pairs_of_runs() {
  const std::span<const PairRecord> pairs = earlier_.pairs;
  std::size_t at = 0;
  // The first pair from `at` on whose lower id is not below `before`; near `at`, mostly.
  const auto go_to = [&](std::uint32_t before) {
    std::size_t step = 1;
    for (; at + step < pairs.size() && pairs[at + step].a < before; step *= 2) at += step;
    const auto end = pairs.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, pairs.size()));
    at = static_cast<std::size_t>(
        std::ranges::lower_bound(pairs.begin() + static_cast<std::ptrdiff_t>(at), end, before, {}, &PairRecord::a) - pairs.begin());
  };
  for (Run& run : runs_) {
    go_to(run.before);
    run.first_pair = static_cast<std::uint32_t>(at);
    go_to(run.before + run.count);
    run.pairs = static_cast<std::uint32_t>(at) - run.first_pair;
    if (run.is_shifted)
      pair_count_ += run.pairs;
    else
      for (const PairRecord& pair : pairs.subspan(run.first_pair, run.pairs)) pair_count_ += id_now_[pair.b] != kNone32 ? 1 : 0;
  }
  std::ranges::sort(runs_, {}, [](const Run& run) { return run.before + run.shift; });
}

Sharing UnchangedSharing::join(Sharing found) const {
  found.pairs = join_pairs(found.pairs);
  join_groups(found);
  return found;
}

// Both parts are sorted, and no tensor of a run has a pair among those found.
std::vector<SharingPair> UnchangedSharing::join_pairs(std::span<const SharingPair> found) const {
  std::vector<SharingPair> out;
  out.reserve(pair_count_ + found.size());
  auto fresh = found.begin();
  for (const Run& run : runs_) {
    const auto until = std::find_if(fresh, found.end(), [&](const SharingPair& p) { return p.a >= run.before + run.shift; });
    out.insert(out.end(), fresh, until);
    fresh = until;
    add_pairs_of(run, out);
  }
  out.insert(out.end(), fresh, found.end());
  return out;
}

void UnchangedSharing::add_pairs_of(const Run& run, std::vector<SharingPair>& out) const {
  const std::span<const PairRecord> pairs = std::span(earlier_.pairs).subspan(run.first_pair, run.pairs);
  if (run.is_shifted) {
    const std::size_t first = out.size();
    out.insert(out.end(), pairs.begin(), pairs.end());
    if (run.shift == 0) return;
    for (SharingPair& pair : std::span(out).subspan(first)) {
      pair.a += run.shift;
      pair.b += run.shift;
    }
    return;
  }
  for (const PairRecord& pair : pairs) {
    if (id_now_[pair.b] == kNone32) continue;
    SharingPair& added = out.emplace_back(pair);
    added.a += run.shift;
    added.b = id_now_[pair.b];
  }
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
