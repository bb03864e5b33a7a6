#include "core/sharing/large_clusters.h"

#include <algorithm>

#include "core/sharing/sharing_groups.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kLargeAtOnce = 128;   // clusters whose pairs are compared together: each has hundreds of them
constexpr std::size_t kMostMeetings = 32'768;  // then they are compared: enough for four threads, and few enough for the cache

}  // namespace

// The cluster's views. Where there are no more clusters than the pool has places, each is loaded once.
SharingCluster& LargeClusters::loaded(std::size_t number) {
  const std::size_t place = number % kLargeAtOnce;
  if (place == pool_.size()) {
    pool_.emplace_back();
    in_pool_.push_back(~std::size_t{0});
  }
  if (in_pool_[place] != number) {
    pool_[place].load(placed_.views_of(clusters_[number].cluster), placed_.axes);
    in_pool_[place] = number;
  }
  return pool_[place];
}

std::uint64_t LargeClusters::count_pairs(PlacedCluster& cluster, std::uint64_t max_pairs, std::span<std::uint32_t> pairs_of_rank) {
  clusters_.push_back({cluster, 0, false});
  cluster.large = static_cast<std::uint32_t>(clusters_.size());
  SharingCluster& views = loaded(clusters_.size() - 1);
  const auto count = [&](const PlacedView& a, const PlacedView& b) { ++pairs_of_rank[std::min(a.rank, b.rank)]; };
  std::uint64_t listed = 0;
  const auto count_meeting = [&](std::uint32_t i, std::uint32_t j) {
    if (listed == max_pairs) return false;
    const std::uint64_t room = max_pairs - listed;
    const std::uint64_t all = views.view_pairs(i, j);
    listed += views.for_each_view_pair(i, j, room, count);
    return all <= room;
  };
  clusters_.back().all_listed = views.for_each_meeting([&] { return !budget_.stopped(); }, count_meeting);
  clusters_.back().listed = listed;
  return listed;
}

void LargeClusters::write_pairs(PairList& list) {
  next_.assign(list.starts().begin(), list.starts().end());
  for (std::size_t first = 0; first < clusters_.size(); first += kLargeAtOnce)
    write_clusters(first, std::min(first + kLargeAtOnce, clusters_.size()), list);
  sort_pairs(list);
}

void LargeClusters::write_clusters(std::size_t first, std::size_t last, PairList& list) {
  bool compared = true;
  for (std::size_t i = first; i < last; ++i) {
    SharingCluster& views = loaded(i);
    compared = compared && add_to_batch(views, clusters_[i].listed, list);
  }
  compared = compared && compare_batch(list);
  for (std::size_t i = first; i < last; ++i) finish(clusters_[i], loaded(i), compared);
}

// The meetings that count_pairs() counted. False: stopped.
bool LargeClusters::add_to_batch(SharingCluster& cluster, std::uint64_t listed, PairList& list) {
  bool go_on = true;
  const auto add = [&](std::uint32_t i, std::uint32_t j) {
    const std::uint64_t pairs = std::min(listed, cluster.view_pairs(i, j));
    if (pairs == 0) return false;
    listed -= pairs;
    batch_.push_back({&cluster, i, j, static_cast<std::uint32_t>(pairs)});
    sets_.push_back({&cluster.classes()[i].prepared, &cluster.classes()[j].prepared});
    if (i != j && batch_.size() >= kMostMeetings) go_on = compare_batch(list);
    return go_on;
  };
  cluster.for_each_meeting([&] { return go_on = !budget_.stopped(); }, add);
  return go_on;
}

// Compares what is in the batch, tells the clusters, writes the pairs, and empties the batch. False: stopped.
bool LargeClusters::compare_batch(PairList& list) {
  overlaps_.resize(batch_.size());
  const bool done = compare_sets(sets_, overlaps_, budget_, threads_);
  for (std::size_t i = 0; done && i < batch_.size(); ++i) {
    const Meeting& meeting = batch_[i];
    meeting.cluster->accept(meeting.first, meeting.second, overlaps_[i]);
    meeting.cluster->for_each_view_pair(meeting.first, meeting.second, meeting.pairs,
                                        [&](const PlacedView& a, const PlacedView& b) {
                                          list.pairs()[next_[std::min(a.rank, b.rank)]++] = pair_of(a.id, b.id, overlaps_[i]);
                                        });
  }
  batch_.clear();
  sets_.clear();
  return done;
}

void LargeClusters::finish(const Counted& counted, SharingCluster& views, bool compared) {
  is_cut_short_ = is_cut_short_ || !compared;
  bool joined = counted.all_listed && compared;
  if (!joined) {
    missing_pairs_ = std::max(missing_pairs_, stopped_or(UnknownWhy::pair_bound));
    joined = !budget_.stopped() && connect_all(views, budget_);
  }
  for (const SharingCluster::Undecided pair : views.undecided()) {
    joined = joined && views.connected().joined(pair.first, pair.second);
  }
  if (!joined) open_groups_ = std::max(open_groups_, stopped_or(UnknownWhy::over_budget));
  views.add_groups(counted.cluster.space, groups_.emplace_back(), budget_);
}

// By the second id: the sweep finds the pairs of a view in the order of addresses. (After a stop too: it takes no longer than it
// took to write them.)
void LargeClusters::sort_pairs(PairList& list) const {
  for (const Counted& counted : clusters_) {
    for (const PlacedView& view : placed_.views_of(counted.cluster)) {
      const std::uint32_t written = next_[view.rank] - list.starts()[view.rank];
      if (written > 1) list.sort_by_b(view.rank, written);
    }
  }
}

}  // namespace dlscope::core
