#include "core/sharing/sharing.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stop_token>
#include <utility>

#include "core/sharing/large_clusters.h"
#include "core/sharing/parts_of_work.h"
#include "core/sharing/placed_items.h"
#include "core/sharing/small_cluster.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMaxPairs = ~std::uint32_t{0};  // their indices have 32 bits
// The division of the work into parts does not depend on the number of threads, so the result does not, either.
constexpr std::size_t kViewsPerPart = 1024;
constexpr std::size_t kPairsPerLook = 4096;  // whether to stop, while room is made for them
constexpr std::uint64_t kWorkPerPart = std::uint64_t{1} << 25;  // only half is used, so that no comparison comes near its limit
constexpr std::size_t kPartsPerThread = 8;

struct Cluster : PlacedCluster {
  Cluster(const PlacedCluster& placed) : PlacedCluster(placed) {}
  std::uint32_t large = 0;  // not 0 for a large cluster: 1 + its number in SharingFinder::large_, once it has been added
};

// find_sharing() in two passes over the clusters. The first counts the pairs, from the extents alone, so that the second can
// write each pair once, directly to its final place in the list sorted by ids.
class SharingFinder {
 public:
  SharingFinder(std::span<const SharingItem> items, const SharingLimits& limits)
      : items_(items),
        max_pairs_(std::min(limits.max_pairs, kMaxPairs)),
        threads_(limits.threads),
        work_(limits.work),
        budget_(limits.budget, limits.work) {}

  Sharing run() {
    auto placed = place_items(items_, budget_.now().stop);
    if (!placed) {
      out_.missing_pairs = out_.open_groups = UnknownWhy::stopped;
      return std::move(out_);
    }
    placed_ = std::move(*placed);
    clusters_.assign(placed_.clusters.begin(), placed_.clusters.end());
    parts_ = parts_of_clusters();
    count_pairs();
    place_pairs();
    out_.spent = work_ - budget_.left();
    return std::move(out_);
  }

 private:
  UnknownWhy stopped_or(UnknownWhy why) const { return budget_.stopped() ? UnknownWhy::stopped : why; }
  std::span<PlacedView> views_of(const Cluster& cluster) {
    return std::span(placed_.views).subspan(cluster.first, cluster.count);
  }

  void count_pairs() {
    next_of_rank_.assign(items_.size() + 1, 0);
    if (all_small_pairs_fit())
      count_small_pairs();
    else
      count_small_pairs_in_order();
    find_large_clusters();
    sort_found_pairs();
    if (make_room_for_pairs()) return;
    next_of_rank_.assign(items_.size() + 1, 0);  // stopped: those of small clusters are not written any more
    make_room_for_pairs();
  }

  // Those that were found, and those of the small clusters that were counted. False: stopped before there was room for all.
  bool make_room_for_pairs() {
    for (const FoundPairs::Entry& entry : found_.entries) ++next_of_rank_[entry.ranks >> 32];
    const std::size_t pairs = start_each(next_of_rank_);
    out_.pairs.reserve(pairs);
    while (out_.pairs.size() < pairs) {
      if (pairs > found_.entries.size() && budget_.stopped()) return false;
      out_.pairs.resize(std::min(pairs, out_.pairs.size() + kPairsPerLook));
    }
    return true;
  }

  static std::uint64_t most_pairs(const Cluster& cluster) { return std::uint64_t{cluster.count} * (cluster.count - 1) / 2; }
  static bool is_small(const Cluster& cluster) { return cluster.count <= SmallCluster::kMaxViews; }

  bool all_small_pairs_fit() const {
    std::uint64_t most = 0;
    for (const Cluster& cluster : clusters_) most += is_small(cluster) ? most_pairs(cluster) : 0;
    return most <= max_pairs_;
  }

  // Each rank belongs to one cluster, so that the threads write to different elements.
  void count_small_pairs() {
    std::vector<std::uint64_t> counts(parts_.size());
    for_each_part([&](std::size_t i, SmallCluster&) {
      const bool stopped = i > 0 && budget_.stopped();  // pairs that are not counted are not written either
      for (Cluster& cluster : std::span(clusters_).subspan(parts_[i].first, parts_[i].count)) {
        if (!is_small(cluster))
          cluster.large = 1;
        else if (!stopped)
          counts[i] += count_small(cluster);
      }
    });
    pair_count_ = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

  // When not all pairs fit into the list, pairs of large clusters are
  // left out first, and those of small clusters that no longer fit.
  void count_small_pairs_in_order() {
    for (Cluster& cluster : clusters_) {
      if (!is_small(cluster) || pair_count_ + most_pairs(cluster) > max_pairs_ || budget_.stopped())
        cluster.large = cluster.count > 1 ? 1 : 0;
      else
        pair_count_ += count_small(cluster);
    }
  }

  std::uint64_t count_small(const Cluster& cluster) {
    if (cluster.count == 1) return 0;
    const std::span<PlacedView> views = views_of(cluster);
    std::ranges::sort(views, {}, &PlacedView::rank);
    return SmallCluster::count_pairs(views, next_of_rank_);
  }

  // Replaces counts by their prefix sums (start positions); returns the total.
  static std::uint32_t start_each(std::span<std::uint32_t> counts) {
    std::uint32_t sum = 0;
    for (std::uint32_t& count : counts) sum += std::exchange(count, sum);
    return sum;
  }

  // Sorts by the higher rank. Placing the pairs at their lower rank in this order then sorts them by both.
  void sort_found_pairs() {
    if (found_.entries.empty()) return;
    std::vector<std::uint32_t> start(items_.size() + 1, 0);
    for (const FoundPairs::Entry& entry : found_.entries) ++start[static_cast<std::uint32_t>(entry.ranks)];
    start_each(start);
    std::vector<FoundPairs::Entry> sorted(found_.entries.size());
    for (const FoundPairs::Entry& entry : found_.entries) sorted[start[static_cast<std::uint32_t>(entry.ranks)]++] = entry;
    found_.entries.swap(sorted);
  }

  // Clusters of many views, and those whose pairs may not all fit into the list.
  void find_large_clusters() {
    for (Cluster& cluster : clusters_) {
      if (cluster.large == 0) continue;
      const std::size_t known = found_.entries.size();
      const std::uint64_t room = max_pairs_ - std::min(max_pairs_, pair_count_);
      cluster.large = static_cast<std::uint32_t>(1 + large_.add(cluster, views_of(cluster), placed_.axes, known + room));
      pair_count_ += found_.entries.size() - std::min(known, found_.entries.size());  // fewer than before if stopped
    }
    large_.finish();
    out_.missing_pairs = std::max(out_.missing_pairs, large_.missing_pairs());
    out_.open_groups = std::max(out_.open_groups, large_.open_groups());
  }

  // Consecutive clusters with enough views to be a unit of work for a thread.
  struct Part {
    std::size_t first = 0, count = 0;  // in clusters_
  };
  // The outcome of a part whose pairs and groups have been written.
  struct PartResult {
    UnknownWhy missing_pairs = UnknownWhy::none, open_groups = UnknownWhy::none;
    std::uint64_t spent = 0;
    bool is_cut_short = false;  // stopped: some pairs have not been written
    bool needs_more = false;    // the part's budget did not (or hardly) suffice: its results are discarded and computed again
  };

  std::vector<Part> parts_of_clusters() const {
    std::vector<Part> parts;
    std::size_t views = kViewsPerPart;
    for (std::size_t i = 0; i < clusters_.size(); ++i) {
      if (views >= kViewsPerPart) {
        parts.push_back({i, 0});
        views = 0;
      }
      ++parts.back().count;
      views += clusters_[i].count;
    }
    return parts;
  }

  // Every part has a small budget of its own, so that its result does not depend on which thread works on it and when. The few
  // parts for which that does not suffice are computed again, in order, with the common budget.
  void place_pairs() {
    place_found_pairs();
    out_.groups.reserve(placed_.views.size());
    out_.members.reserve(placed_.views.size());
    const OverlapBudget each = budget_.now();
    const std::uint64_t work = std::min(kWorkPerPart, budget_.left() / std::max<std::size_t>(parts_.size(), 1));
    const auto place = [&](std::size_t i, SmallCluster& scratch, Sharing& out) {
      WorkBudget own(each, work);
      PartResult result = place_part(parts_[i], scratch, own, out);
      result.spent = work - own.left();
      result.needs_more = !own.stopped() && (result.needs_more || result.spent > work / 2);
      return result;
    };
    SmallCluster scratch;
    bool is_cut_short = false;
    const auto accept = [&](const PartResult& result) {
      out_.missing_pairs = std::max(out_.missing_pairs, result.missing_pairs);
      out_.open_groups = std::max(out_.open_groups, result.open_groups);
      is_cut_short = is_cut_short || result.is_cut_short;
      budget_.spend(result.spent);
    };
    if (useful_threads() == 1) {
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        const std::size_t groups = out_.groups.size(), members = out_.members.size();
        PartResult result = place(i, scratch, out_);
        if (result.needs_more) {
          out_.groups.resize(groups);
          out_.members.resize(members);
          result = place_part(parts_[i], scratch, budget_, out_);
        }
        accept(result);
      }
    } else {
      struct Placed {
        Sharing groups;  // groups only: the pairs go directly to out_
        PartResult result;
      };
      std::vector<Placed> placed(parts_.size());
      for_each_part(
          [&](std::size_t i, SmallCluster& own_scratch) { placed[i].result = place(i, own_scratch, placed[i].groups); });
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (placed[i].result.needs_more) {
          placed[i] = {};
          placed[i].result = place_part(parts_[i], scratch, budget_, placed[i].groups);
        }
        accept(placed[i].result);
        add_groups(placed[i].groups, out_);
        placed[i] = {};
      }
    }
    if (is_cut_short) std::erase_if(out_.pairs, [](const SharingPair& pair) { return pair.a == pair.b; });
  }

  // Appends the groups to `out`, writes the pairs into out_.
  PartResult place_part(const Part& part, SmallCluster& scratch, WorkBudget& budget, Sharing& out) {
    PartResult result;
    for (const Cluster& cluster : std::span(clusters_).subspan(part.first, part.count)) {
      if (cluster.count == 1)
        add_single(cluster, budget, out, result);
      else if (cluster.large != 0)
        add_groups(large_.groups_of(cluster.large - 1), out);
      else
        place_small(cluster, scratch, budget, out, result);
    }
    return result;
  }

  void place_found_pairs() {
    if (found_.entries.empty()) return;
    std::vector<std::uint32_t> id_of_rank(items_.size());
    for (const PlacedView& view : placed_.views) id_of_rank[view.rank] = view.id;
    for (const FoundPairs::Entry& entry : found_.entries) {
      const std::uint32_t low = id_of_rank[entry.ranks >> 32], high = id_of_rank[static_cast<std::uint32_t>(entry.ranks)];
      const SetOverlap& overlap = found_.overlaps[entry.overlap];
      SharingPair& pair = out_.pairs[next_of_rank_[entry.ranks >> 32]++];
      pair = entry.first == 0 ? pair_of(low, high, overlap) : pair_of(high, low, overlap);
    }
  }

  void place_small(const Cluster& cluster, SmallCluster& scratch, WorkBudget& budget, Sharing& out, PartResult& result) {
    fetch_ahead(cluster);
    scratch.load(views_of(cluster), placed_.axes);
    if (budget.stopped()) {  // its pairs are not written, and every view becomes a group of its own
      result.is_cut_short = true;
      result.missing_pairs = result.open_groups = UnknownWhy::stopped;
    } else {
      scratch.write_pairs(out_.pairs, next_of_rank_, budget);
    }
    if (scratch.has_open_groups()) result.open_groups = std::max(result.open_groups, stopped_or(UnknownWhy::over_budget));
    const std::size_t first_group = out.groups.size();
    scratch.add_groups(static_cast<SpaceId>(cluster.space), out, budget);
    const auto is_unknown = [](const SharingGroup& group) { return group.distinct_bytes == kUnknownBytes; };
    result.needs_more = result.needs_more || scratch.has_undecided() ||
                        std::any_of(out.groups.begin() + static_cast<std::ptrdiff_t>(first_group), out.groups.end(), is_unknown);
  }

  // Prefetches the axes and the pair positions of the next clusters, which are scattered in memory, while this one is worked on.
  void fetch_ahead(const Cluster& cluster) {
    constexpr std::size_t kAxesAhead = 16, kPairsAhead = 24, kPairsPerLine = 2;
    const std::size_t end =
        std::min<std::size_t>(cluster.first + cluster.count, placed_.views.size() - std::min(placed_.views.size(), kPairsAhead));
    for (std::size_t i = cluster.first; i < end; ++i) {
      __builtin_prefetch(&placed_.axes[placed_.views[i + kAxesAhead].first_axis]);
      const std::uint32_t rank = placed_.views[i + kPairsAhead].rank;
      for (std::size_t pair = next_of_rank_[rank]; pair < next_of_rank_[rank + 1]; pair += kPairsPerLine)
        __builtin_prefetch(&out_.pairs[pair], 1);
    }
  }

  void add_single(const Cluster& cluster, WorkBudget& budget, Sharing& out, PartResult& result) const {
    const PlacedView& view = placed_.views[cluster.first];
    std::uint64_t bytes = view.distinct_bytes;
    if (bytes == kUnknownBytes && !budget.stopped()) bytes = budget.count(view.set(placed_.axes)).value_or(kUnknownBytes);
    result.needs_more = result.needs_more || bytes == kUnknownBytes;
    out.groups.push_back(
        {view.extent, bytes, static_cast<std::uint32_t>(out.members.size()), 1, static_cast<SpaceId>(cluster.space)});
    out.members.push_back(view.id);
  }

  static void add_groups(const Sharing& from, Sharing& out) {
    const auto moved = static_cast<std::uint32_t>(out.members.size());
    for (SharingGroup group : from.groups) {
      group.first_member += moved;
      out.groups.push_back(group);
    }
    out.members.insert(out.members.end(), from.members.begin(), from.members.end());
  }

  template <class Work>
  void for_each_part(Work work) {
    core::for_each_part<SmallCluster>(parts_.size(), useful_threads(), work);
  }
  std::size_t useful_threads() const { return threads_for_parts(threads_, parts_.size(), kPartsPerThread); }

  std::span<const SharingItem> items_;
  std::uint64_t max_pairs_;
  std::size_t threads_;
  std::uint64_t work_;
  WorkBudget budget_;
  PlacedItems placed_;
  std::vector<Cluster> clusters_;
  std::vector<Part> parts_;                  // of clusters_
  std::vector<std::uint32_t> next_of_rank_;  // by rank of the lower view: first the number of pairs, then where the next one goes
  std::uint64_t pair_count_ = 0;
  LargeClusters large_{budget_, threads_};
  FoundPairs& found_ = large_.found();
  Sharing out_;
};

}  // namespace

SharingPair compare_views(std::uint32_t id_a, const MemoryView& a, std::uint32_t id_b, const MemoryView& b,
                          const OverlapBudget& budget) {
  const PreparedView prepared_a(a), prepared_b(b);
  std::uint64_t spent = 0;
  return pair_of(id_a, id_b, overlap_of_sets(prepared_a.get(), prepared_b.get(), budget, spent));
}

Sharing find_sharing(std::span<const SharingItem> items, const SharingLimits& limits) {
  // limits.stop and limits.budget.stop may both request a stop; the code below checks only one token.
  std::stop_source either;
  const auto stop = [&either] { either.request_stop(); };
  const std::stop_callback<decltype(stop)> on_sharing(limits.stop, stop);
  const std::stop_callback<decltype(stop)> on_budget(limits.budget.stop, stop);
  SharingLimits joint = limits;
  joint.budget.stop = either.get_token();
  return SharingFinder(items, joint).run();
}

}  // namespace dlscope::core
