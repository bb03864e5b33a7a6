#include "core/sharing/sharing.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <stop_token>
#include <utility>

#include "core/sharing/radix_sort.h"
#include "core/sharing/sharing_cluster.h"
#include "core/sharing/sharing_groups.h"
#include "core/sharing/small_cluster.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kMostPairs = ~std::uint32_t{0};  // their numbers are 32 bits

// Views of one space whose extents hang together: a slice of Finding::views_.
struct Cluster {
  std::uint32_t first = 0, count = 0;
  std::uint32_t space = kNoSpace;
  std::uint32_t large = 0;  // for a large one, 1 + its index into Finding::large_
};

bool takes_part(const SharingItem& item) { return item.space != kNoSpace && !item.view.extent.empty(); }

// The items of one space by ascending extent begin. Key and position share a word where they fit, which they do unless the
// views lie further apart than 2^47 bytes: half the memory to move.
std::vector<std::uint32_t> by_begin(std::span<const SharingItem> items, SpaceId space) {
  std::vector<std::uint32_t> order;
  order.reserve(items.size());
  Address lowest = ~Address{0}, highest = 0;
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].space != space || !takes_part(items[i])) continue;
    order.push_back(i);
    lowest = std::min(lowest, items[i].view.extent.begin);
    highest = std::max(highest, items[i].view.extent.begin);
  }
  const auto begin_of = [&](std::uint32_t i) { return items[i].view.extent.begin; };
  const auto position_bits = static_cast<unsigned>(std::bit_width(items.size()));
  if (static_cast<unsigned>(std::bit_width(highest - lowest)) + position_bits > 64) {
    std::ranges::stable_sort(order, {}, begin_of);
    return order;
  }
  std::vector<std::uint64_t> packed;
  packed.reserve(order.size());
  for (const std::uint32_t i : order) packed.push_back((begin_of(i) - lowest) << position_bits | i);
  sort_by_key(packed, [position_bits](std::uint64_t p) { return p >> position_bits; });
  const std::uint64_t mask = (std::uint64_t{1} << position_bits) - 1;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(packed[i] & mask);
  return order;
}

// Where each item's id stands among all ids; usually where the item stands.
std::vector<std::uint32_t> ranks_of(std::span<const SharingItem> items) {
  std::vector<std::uint32_t> ranks(items.size());
  std::iota(ranks.begin(), ranks.end(), std::uint32_t{0});
  if (std::ranges::is_sorted(items, {}, &SharingItem::id)) return ranks;
  std::vector<std::uint64_t> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order[i] = std::uint64_t{items[i].id} << 32 | i;
  std::ranges::sort(order);
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) ranks[static_cast<std::uint32_t>(order[rank])] = rank;
  return ranks;
}

struct NormalisedItems {
  std::vector<PlacedView> views;  // by position
  std::vector<Axis> axes;         // of all of them
};

NormalisedItems normalise(std::span<const SharingItem> items) {
  NormalisedItems out;
  const std::vector<std::uint32_t> ranks = ranks_of(items);
  out.views.resize(items.size());
  out.axes.reserve(3 * items.size());
  AxisStorage storage;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const SharingItem& item = items[i];
    PlacedView& view = out.views[i];
    view.extent = item.view.extent;
    view.distinct_bytes = item.distinct_bytes;
    view.id = item.id;
    view.rank = ranks[i];
    if (!takes_part(item)) continue;
    const StridedSet set = bytes_of(item.view, storage);
    view.first_axis = static_cast<std::uint32_t>(out.axes.size());
    view.axis_count = static_cast<std::uint8_t>(set.axes.size());
    view.unit_bits = static_cast<std::uint8_t>(set.unit_bits);
    view.phase = static_cast<std::uint8_t>(set.phase);
    view.nested = set.nested;
    out.axes.insert(out.axes.end(), set.axes.begin(), set.axes.end());
    if (view.distinct_bytes == kUnknownBytes) view.distinct_bytes = count_bytes_if_nested(set).value_or(kUnknownBytes);
  }
  return out;
}

// Two passes over the clusters. The first needs extents only and counts the pairs, so that the second can write each of
// them once, in its final place: in a small cluster in the order of ids, from a large one sorted by ids.
class Finding {
 public:
  Finding(std::span<const SharingItem> items, const SharingLimits& limits)
      : items_(items), max_pairs_(std::min(limits.max_pairs, kMostPairs)), budget_(limits.budget, limits.work) {}

  Sharing run() {
    normalised_ = normalise(items_);
    views_.reserve(items_.size());
    clusters_.reserve(items_.size());
    for (const SpaceId space : spaces()) find_clusters(space);
    count_pairs();
    place_pairs();
    return std::move(out_);
  }

 private:
  UnknownWhy stopped_or(UnknownWhy why) const { return budget_.stopped() ? UnknownWhy::stopped : why; }
  std::span<PlacedView> views_of(const Cluster& cluster) { return std::span(views_).subspan(cluster.first, cluster.count); }

  std::vector<SpaceId> spaces() const {
    std::vector<SpaceId> found;
    for (const SharingItem& item : items_) {
      if (takes_part(item) && (found.empty() || found.back() != item.space)) found.push_back(item.space);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  void find_clusters(SpaceId space) {
    const std::vector<std::uint32_t> order = by_begin(items_, space);
    Address end = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      constexpr std::size_t kAhead = 24;
      if (i + kAhead < order.size()) __builtin_prefetch(&normalised_.views[order[i + kAhead]]);
      const PlacedView& view = views_.emplace_back(normalised_.views[order[i]]);
      const ByteRange extent = view.extent;
      if (i == 0 || extent.begin >= end) clusters_.push_back({static_cast<std::uint32_t>(views_.size() - 1), 0, space, 0});
      ++clusters_.back().count;
      end = i == 0 ? extent.end : std::max(end, extent.end);
    }
  }

  void count_pairs() {
    next_of_rank_.assign(items_.size() + 1, 0);
    std::vector<Cluster*> large;  // after all small ones: where the list is bounded, it is the large ones that are cut
    for (Cluster& cluster : clusters_) {
      if (cluster.count == 1) continue;
      const std::uint64_t most = std::uint64_t{cluster.count} * (cluster.count - 1) / 2;
      if (cluster.count > SmallCluster::kMostViews || pair_count_ + most > max_pairs_ || budget_.stopped()) {
        large.push_back(&cluster);
        continue;
      }
      const std::span<PlacedView> views = views_of(cluster);
      std::ranges::sort(views, {}, &PlacedView::rank);
      pair_count_ += SmallCluster::count_pairs(views, next_of_rank_);
    }
    for (Cluster* const cluster : large) find_large(*cluster);
    sort_found_pairs();
    for (const FoundPairs::Entry& entry : found_.entries) ++next_of_rank_[entry.ranks >> 32];
    out_.pairs.resize(start_each(next_of_rank_));
  }

  // Counts become starts; returns their sum.
  static std::uint32_t start_each(std::span<std::uint32_t> counts) {
    std::uint32_t sum = 0;
    for (std::uint32_t& count : counts) sum += std::exchange(count, sum);
    return sum;
  }

  // By the higher rank. Placing each at its lower rank, in this order, then sorts by both.
  void sort_found_pairs() {
    if (found_.entries.empty()) return;
    std::vector<std::uint32_t> start(items_.size() + 1, 0);
    for (const FoundPairs::Entry& entry : found_.entries) ++start[static_cast<std::uint32_t>(entry.ranks)];
    start_each(start);
    std::vector<FoundPairs::Entry> sorted(found_.entries.size());
    for (const FoundPairs::Entry& entry : found_.entries) sorted[start[static_cast<std::uint32_t>(entry.ranks)]++] = entry;
    found_.entries.swap(sorted);
  }

  // A large cluster, or one whose pairs may not all be listed.
  void find_large(Cluster& cluster) {
    large_cluster_.load(views_of(cluster), normalised_.axes);
    const std::uint64_t room = max_pairs_ - std::min(max_pairs_, pair_count_);
    const std::size_t known = found_.entries.size();
    bool joined = large_cluster_.add_pairs(found_, known + room, budget_);
    pair_count_ += found_.entries.size() - known;
    if (!joined) {
      out_.missing_pairs = std::max(out_.missing_pairs, stopped_or(UnknownWhy::pair_bound));
      joined = !budget_.stopped() && connect_all(large_cluster_, budget_);
    }
    for (const SharingCluster::Undecided pair : large_cluster_.undecided()) {
      joined = joined && large_cluster_.connected().joined(pair.first, pair.second);
    }
    if (!joined) out_.open_groups = std::max(out_.open_groups, stopped_or(UnknownWhy::over_budget));
    large_cluster_.add_groups(static_cast<SpaceId>(cluster.space), large_.emplace_back(), budget_);
    cluster.large = static_cast<std::uint32_t>(large_.size());
  }

  void place_pairs() {
    out_.groups.reserve(views_.size());
    out_.members.reserve(views_.size());
    place_found_pairs();
    for (const Cluster& cluster : clusters_) {
      if (cluster.count == 1)
        add_single(cluster);
      else if (cluster.large != 0)
        add_large_groups(large_[cluster.large - 1]);
      else
        place_small(cluster);
    }
    if (is_cut_short_) std::erase_if(out_.pairs, [](const SharingPair& pair) { return pair.a == pair.b; });
  }

  void place_found_pairs() {
    if (found_.entries.empty()) return;
    std::vector<std::uint32_t> id_of_rank(items_.size());
    for (const PlacedView& view : normalised_.views) id_of_rank[view.rank] = view.id;
    for (const FoundPairs::Entry& entry : found_.entries) {
      const std::uint32_t low = id_of_rank[entry.ranks >> 32], high = id_of_rank[static_cast<std::uint32_t>(entry.ranks)];
      const SetOverlap& overlap = found_.overlaps[entry.overlap];
      SharingPair& pair = out_.pairs[next_of_rank_[entry.ranks >> 32]++];
      pair = entry.first == 0 ? pair_of(low, high, overlap) : pair_of(high, low, overlap);
    }
  }

  void place_small(const Cluster& cluster) {
    fetch_ahead(cluster);
    small_cluster_.load(views_of(cluster), normalised_.axes);
    if (budget_.stopped()) {  // the places of its pairs stay empty, and every view is a group of its own
      is_cut_short_ = true;
      out_.missing_pairs = out_.open_groups = UnknownWhy::stopped;
    } else {
      small_cluster_.write_pairs(out_.pairs, next_of_rank_, budget_);
    }
    if (small_cluster_.has_open_groups()) out_.open_groups = std::max(out_.open_groups, stopped_or(UnknownWhy::over_budget));
    small_cluster_.add_groups(static_cast<SpaceId>(cluster.space), out_, budget_);
  }

  // Asks for the axes and the places of the pairs of the next clusters, which lie anywhere, while this one is worked on.
  void fetch_ahead(const Cluster& cluster) {
    constexpr std::size_t kAxesAhead = 16, kPairsAhead = 24, kPairsPerLine = 2;
    const std::size_t end =
        std::min<std::size_t>(cluster.first + cluster.count, views_.size() - std::min(views_.size(), kPairsAhead));
    for (std::size_t i = cluster.first; i < end; ++i) {
      __builtin_prefetch(&normalised_.axes[views_[i + kAxesAhead].first_axis]);
      const std::uint32_t rank = views_[i + kPairsAhead].rank;
      for (std::size_t pair = next_of_rank_[rank]; pair < next_of_rank_[rank + 1]; pair += kPairsPerLine)
        __builtin_prefetch(&out_.pairs[pair], 1);
    }
  }

  void add_single(const Cluster& cluster) {
    const PlacedView& view = views_[cluster.first];
    std::uint64_t bytes = view.distinct_bytes;
    if (bytes == kUnknownBytes && !budget_.stopped()) bytes = budget_.count(view.set(normalised_.axes)).value_or(kUnknownBytes);
    out_.groups.push_back(
        {view.extent, bytes, static_cast<std::uint32_t>(out_.members.size()), 1, static_cast<SpaceId>(cluster.space)});
    out_.members.push_back(view.id);
  }

  void add_large_groups(const Sharing& from) {
    const auto moved = static_cast<std::uint32_t>(out_.members.size());
    for (SharingGroup group : from.groups) {
      group.first_member += moved;
      out_.groups.push_back(group);
    }
    out_.members.insert(out_.members.end(), from.members.begin(), from.members.end());
  }

  std::span<const SharingItem> items_;
  std::uint64_t max_pairs_;
  WorkBudget budget_;
  NormalisedItems normalised_;
  std::vector<PlacedView> views_;  // cluster by cluster
  std::vector<Cluster> clusters_;
  std::vector<std::uint32_t> next_of_rank_;  // first how many pairs have this view as the lower one, then where the next goes
  std::uint64_t pair_count_ = 0;
  bool is_cut_short_ = false;   // stopped while pairs were written
  FoundPairs found_;            // of all large clusters
  std::vector<Sharing> large_;  // their groups and members
  SharingCluster large_cluster_;
  SmallCluster small_cluster_;
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
  // Two tokens may ask to stop; below there is one.
  std::stop_source either;
  const auto stop = [&either] { either.request_stop(); };
  const std::stop_callback<decltype(stop)> on_sharing(limits.stop, stop);
  const std::stop_callback<decltype(stop)> on_budget(limits.budget.stop, stop);
  SharingLimits joint = limits;
  joint.budget.stop = either.get_token();
  return Finding(items, joint).run();
}

}  // namespace dlscope::core
