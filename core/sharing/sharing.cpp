#include "core/sharing/sharing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stop_token>
#include <utility>

#include "core/sharing/sharing_cluster.h"
#include "core/sharing/sharing_groups.h"

namespace dlscope::core {
namespace {

struct Keyed {
  std::uint64_t key = 0;
  std::uint32_t position = 0;
};

// What the sweep needs of an item, in one place. In order of addresses the items themselves lie scattered: touching each
// of them again would cost more than everything else done for a view that meets no other.
struct Placed {
  Address key = 0;  // where the extent begins
  Address end = 0;
  std::uint64_t bytes = 0;  // distinct ones; kUnknownBytes: not counted yet
  std::uint32_t position = 0;
  std::uint32_t id = 0;
};

// The closed form of distinct_bytes(), or kUnknownBytes.
std::uint64_t bytes_if_nested(const MemoryView& view) {
  AxisStorage storage;
  const StridedSet set = bytes_of(view, storage);
  return set.in_bytes() && set.nested ? tuple_count(set.axes) : kUnknownBytes;
}

// Stable, by key, eleven bits at a time; digits that are equal everywhere (the high ones of addresses) are skipped.
template <class Record>
void radix_sort(std::vector<Record>& records) {
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::vector<Record> other(records.size());
  for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> start{};
    const auto digit = [shift](const Record& r) { return static_cast<std::size_t>(r.key >> shift) & (kDigits - 1); };
    for (const Record& r : records) ++start[digit(r)];
    if (start[digit(records.front())] == records.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& s : start) sum += std::exchange(s, sum);
    for (const Record& r : records) other[start[digit(r)]++] = r;
    records.swap(other);
  }
}

template <class Record>
void sort_by_key(std::vector<Record>& records) {
  if (std::ranges::is_sorted(records, {}, &Record::key)) return;
  if (records.size() >= 512) return radix_sort(records);
  std::ranges::stable_sort(records, {}, &Record::key);
}

// By (a, b). Keys and numbers are sorted; then each pair, which is large, moves once.
void sort_pairs(std::vector<SharingPair>& pairs) {
  constexpr std::size_t kAhead = 16;
  std::vector<Keyed> order(pairs.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {(std::uint64_t{pairs[i].a} << 32) | pairs[i].b, i};
  sort_by_key(order);
  std::vector<SharingPair> sorted;
  sorted.reserve(pairs.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kAhead < order.size()) __builtin_prefetch(&pairs[order[i + kAhead].position]);
    sorted.push_back(pairs[order[i].position]);
  }
  pairs.swap(sorted);
}

class Finding {
 public:
  Finding(std::span<const SharingItem> items, const SharingLimits& limits)
      : items_(items), max_pairs_(limits.max_pairs), budget_(limits.budget, limits.work) {}

  Sharing run() {
    out_.groups.reserve(items_.size());
    for (const SpaceId space : spaces()) sweep(space);
    sort_pairs(out_.pairs);
    return std::move(out_);
  }

 private:
  bool stopped() const { return budget_.stopped(); }
  UnknownWhy stopped_or(UnknownWhy why) const { return stopped() ? UnknownWhy::stopped : why; }

  static bool takes_part(const SharingItem& item) { return item.space != kNoSpace && !item.view.extent.empty(); }

  std::vector<SpaceId> spaces() const {
    std::vector<SpaceId> found;
    for (const SharingItem& item : items_) {
      if (takes_part(item) && (found.empty() || found.back() != item.space)) found.push_back(item.space);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  void sweep(SpaceId space) {
    std::vector<Placed> placed;
    placed.reserve(items_.size());
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      const MemoryView& view = items_[i].view;
      if (items_[i].space != space || !takes_part(items_[i])) continue;
      placed.push_back({view.extent.begin, view.extent.end, bytes_if_nested(view), i, items_[i].id});
    }
    sort_by_key(placed);
    std::vector<std::uint32_t> cluster;
    for (std::size_t first = 0; first < placed.size();) {
      cluster.assign(1, placed[first].position);
      Address end = placed[first].end;
      std::size_t last = first + 1;
      for (; last < placed.size() && placed[last].key < end; ++last) {
        cluster.push_back(placed[last].position);
        end = std::max(end, placed[last].end);
      }
      if (cluster.size() == 1) {
        add_single(space, placed[first]);
      } else {
        for (std::size_t i = first; i < last; ++i) fetch_ahead(placed, i);
        add_cluster(space, cluster);
      }
      first = last;
    }
  }

  // Asks for the items and layouts of the next clusters, which lie anywhere, while this one is worked on.
  void fetch_ahead(const std::vector<Placed>& placed, std::size_t at) const {
    constexpr std::size_t kItemsAhead = 48, kLayoutsAhead = 24;
    if (at + kItemsAhead >= placed.size()) return;
    const SharingItem& item = items_[placed[at + kItemsAhead].position];
    __builtin_prefetch(&item);
    __builtin_prefetch(&item.view.extent);
    const LayoutView& layout = items_[placed[at + kLayoutsAhead].position].view.layout;
    __builtin_prefetch(layout.shape.data());
    __builtin_prefetch(layout.stride_bits.data());
  }

  void add_single(SpaceId space, const Placed& item) {
    std::uint64_t bytes = item.bytes;
    if (bytes == kUnknownBytes && !stopped()) {
      AxisStorage storage;
      bytes = budget_.count(bytes_of(items_[item.position].view, storage)).value_or(kUnknownBytes);
    }
    out_.groups.push_back({space, {item.key, item.end}, bytes, {item.id}});
  }

  void add_cluster(SpaceId space, std::span<const std::uint32_t> positions) {
    cluster_.load(items_, positions);
    bool joined = cluster_.add_pairs(out_.pairs, max_pairs_, budget_);
    if (!joined) {
      out_.missing_pairs = std::max(out_.missing_pairs, stopped_or(UnknownWhy::pair_bound));
      joined = !stopped() && connect_all(cluster_, budget_);
    }
    for (const SharingCluster::Undecided pair : cluster_.undecided()) {
      joined = joined && cluster_.connected().joined(pair.first, pair.second);
    }
    if (!joined) out_.open_groups = std::max(out_.open_groups, stopped_or(UnknownWhy::over_budget));
    add_groups(space);
  }

  void add_groups(SpaceId space) {
    const std::span<const ViewClass> classes = cluster_.classes();
    std::vector<std::uint32_t> group_of_root(classes.size(), 0);
    std::vector<std::vector<const StridedSet*>> sets;
    const std::size_t first_group = out_.groups.size();
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
      const StridedSet& set = classes[i].prepared.set;
      const std::uint32_t root = cluster_.connected().find(i);
      if (root == i) {  // the lowest class of its group
        group_of_root[i] = static_cast<std::uint32_t>(sets.size());
        sets.emplace_back();
        out_.groups.push_back({space, set.range(), 0, {}});
      }
      const std::uint32_t number = group_of_root[root];
      sets[number].push_back(&set);
      SharingGroup& group = out_.groups[first_group + number];
      group.range.end = std::max(group.range.end, set.end());
      for (const std::uint32_t position : classes[i].members) group.members.push_back(items_[position].id);
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      SharingGroup& group = out_.groups[first_group + i];
      std::ranges::sort(group.members);
      group.distinct_bytes = stopped() ? kUnknownBytes : union_bytes(sets[i], budget_);
    }
  }

  std::span<const SharingItem> items_;
  std::uint64_t max_pairs_;
  WorkBudget budget_;
  SharingCluster cluster_;
  Sharing out_;
};

}  // namespace

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
