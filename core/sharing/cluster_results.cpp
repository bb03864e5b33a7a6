#include "core/sharing/cluster_results.h"

#include <algorithm>
#include <vector>

namespace dlscope::core {
namespace {

constexpr std::uint64_t kWorkPerPart = std::uint64_t{1} << 25;  // only half is used, so that no comparison comes near its limit

void add_groups(const Sharing& from, Sharing& out) {
  const auto moved = static_cast<std::uint32_t>(out.members.size());
  for (SharingGroup group : from.groups) {
    group.first_member += moved;
    out.groups.push_back(group);
  }
  out.members.insert(out.members.end(), from.members.begin(), from.members.end());
}

}  // namespace

// Every part has a small budget of its own, so that its result does not depend on which thread works on it and when. The few
// parts for which that does not suffice are computed again, in order, with the common budget.
bool ClusterResults::write(PairList& list, Sharing& out) {
  out.groups.reserve(placed_.views.size());
  out.members.reserve(placed_.views.size());
  each_ = budget_.now();
  work_of_part_ = std::min(kWorkPerPart, budget_.left() / std::max<std::size_t>(parts_.size(), 1));
  const std::size_t threads = threads_for_clusters(threads_, parts_.size());
  if (threads == 1)
    write_in_turn(list, out);
  else
    write_on_threads(threads, list, out);
  return !is_cut_short_;
}

void ClusterResults::write_in_turn(PairList& list, Sharing& out) {
  SmallCluster scratch;
  for (const ClusterPart& part : parts_) {
    const std::size_t groups = out.groups.size(), members = out.members.size();
    PartResult result = write_within_share(part, scratch, list, out);
    if (result.needs_more) {
      out.groups.resize(groups);
      out.members.resize(members);
      result = write_part(part, scratch, budget_, list, out);
    }
    accept(result, out);
  }
}

void ClusterResults::write_on_threads(std::size_t threads, PairList& list, Sharing& out) {
  struct Written {
    Sharing groups;  // groups only: the pairs go directly to the list
    PartResult result;
  };
  std::vector<Written> written(parts_.size());
  for_each_part<SmallCluster>(parts_.size(), threads, [&](std::size_t i, SmallCluster& scratch) {
    written[i].result = write_within_share(parts_[i], scratch, list, written[i].groups);
  });
  SmallCluster scratch;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (written[i].result.needs_more) {
      written[i] = {};
      written[i].result = write_part(parts_[i], scratch, budget_, list, written[i].groups);
    }
    accept(written[i].result, out);
    add_groups(written[i].groups, out);
    written[i] = {};
  }
}

void ClusterResults::accept(const PartResult& result, Sharing& out) {
  out.missing_pairs = std::max(out.missing_pairs, result.missing_pairs);
  out.open_groups = std::max(out.open_groups, result.open_groups);
  is_cut_short_ = is_cut_short_ || result.is_cut_short;
  budget_.spend(result.spent);
}

ClusterResults::PartResult ClusterResults::write_within_share(const ClusterPart& part, SmallCluster& scratch, PairList& list,
                                                              Sharing& out) {
  WorkBudget own(each_, work_of_part_);
  PartResult result = write_part(part, scratch, own, list, out);
  result.spent = work_of_part_ - own.left();
  result.needs_more = !own.stopped() && (result.needs_more || result.spent > work_of_part_ / 2);
  return result;
}

// Appends the groups to `out`.
ClusterResults::PartResult ClusterResults::write_part(const ClusterPart& part, SmallCluster& scratch, WorkBudget& budget,
                                                      PairList& list, Sharing& out) const {
  PartResult result;
  for (const PlacedCluster& cluster : std::span(placed_.clusters).subspan(part.first, part.count)) {
    if (cluster.count == 1)
      write_single(cluster, budget, out, result);
    else if (cluster.large != 0)
      add_groups(large_.groups_of(cluster.large - 1), out);
    else
      write_small(cluster, scratch, budget, list, out, result);
  }
  return result;
}

void ClusterResults::write_small(const PlacedCluster& cluster, SmallCluster& scratch, WorkBudget& budget, PairList& list,
                                 Sharing& out, PartResult& result) const {
  fetch_ahead(cluster, list);
  scratch.load(placed_.views_of(cluster), placed_.axes);
  if (budget.stopped()) {  // its pairs are not written, and every view becomes a group of its own
    result.is_cut_short = true;
    result.missing_pairs = result.open_groups = UnknownWhy::stopped;
  } else {
    scratch.write_pairs(list.pairs(), list.starts(), budget);
  }
  if (scratch.has_open_groups())
    result.open_groups = std::max(result.open_groups, budget.stopped() ? UnknownWhy::stopped : UnknownWhy::over_budget);
  const std::size_t first_group = out.groups.size();
  scratch.add_groups(cluster.space, out, budget);
  const auto is_unknown = [](const SharingGroup& group) { return group.distinct_bytes == kUnknownBytes; };
  result.needs_more = result.needs_more || scratch.has_undecided() ||
                      std::any_of(out.groups.begin() + static_cast<std::ptrdiff_t>(first_group), out.groups.end(), is_unknown);
}

// Prefetches the axes and the pair positions of the next clusters, which are scattered in memory, while this one is worked on.
void ClusterResults::fetch_ahead(const PlacedCluster& cluster, PairList& list) const {
  constexpr std::size_t kAxesAhead = 16, kPairsAhead = 24, kPairsPerLine = 2;
  const std::span<const std::uint32_t> starts = list.starts();
  const std::size_t end =
      std::min<std::size_t>(cluster.first + cluster.count, placed_.views.size() - std::min(placed_.views.size(), kPairsAhead));
  for (std::size_t i = cluster.first; i < end; ++i) {
    __builtin_prefetch(&placed_.axes[placed_.views[i + kAxesAhead].first_axis]);
    const std::uint32_t rank = placed_.views[i + kPairsAhead].rank;
    for (std::size_t pair = starts[rank]; pair < starts[rank + 1]; pair += kPairsPerLine)
      __builtin_prefetch(list.pairs().data() + pair, 1);
  }
}

void ClusterResults::write_single(const PlacedCluster& cluster, WorkBudget& budget, Sharing& out, PartResult& result) const {
  const PlacedView& view = placed_.views[cluster.first];
  std::uint64_t bytes = view.distinct_bytes;
  if (bytes == kUnknownBytes && !budget.stopped()) bytes = budget.count(view.set(placed_.axes)).value_or(kUnknownBytes);
  result.needs_more = result.needs_more || bytes == kUnknownBytes;
  out.groups.push_back({view.extent, bytes, static_cast<std::uint32_t>(out.members.size()), 1, cluster.space});
  out.members.push_back(view.id);
}

}  // namespace dlscope::core
