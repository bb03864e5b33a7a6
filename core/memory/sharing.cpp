#include "core/memory/sharing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stop_token>
#include <utility>

#include "core/memory/sharing_cluster.h"
#include "core/memory/sharing_groups.h"

namespace dlscope::core {
namespace {

struct Placed {
  std::uint64_t key = 0;
  std::uint32_t position = 0;
};

// Stable, by key, eleven bits at a time; digits that are equal everywhere (the high ones of addresses) are skipped.
void radix_sort(std::vector<Placed>& placed) {
  constexpr unsigned kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::vector<Placed> other(placed.size());
  for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
    std::array<std::uint32_t, kDigits> start{};
    const auto digit = [shift](const Placed& p) { return static_cast<std::size_t>(p.key >> shift) & (kDigits - 1); };
    for (const Placed& p : placed) ++start[digit(p)];
    if (start[digit(placed.front())] == placed.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& s : start) sum += std::exchange(s, sum);
    for (const Placed& p : placed) other[start[digit(p)]++] = p;
    placed.swap(other);
  }
}

void sort_placed(std::vector<Placed>& placed) {
  if (placed.size() >= 512) return radix_sort(placed);
  std::ranges::stable_sort(placed, {}, &Placed::key);
}

// By (a, b). Only a key and a number move until the end: a pair is large.
void sort_pairs(std::vector<SharingPair>& pairs) {
  std::vector<Placed> placed(pairs.size());
  for (std::uint32_t i = 0; i < placed.size(); ++i) placed[i] = {(std::uint64_t{pairs[i].a} << 32) | pairs[i].b, i};
  if (std::ranges::is_sorted(placed, {}, &Placed::key)) return;
  sort_placed(placed);
  std::vector<SharingPair> sorted;
  sorted.reserve(pairs.size());
  for (const Placed& p : placed) sorted.push_back(pairs[p.position]);
  pairs.swap(sorted);
}

class Finding {
 public:
  Finding(std::span<const SharingItem> items, const SharingLimits& limits) : items_(items), limits_(limits) {}

  Sharing run() {
    for (const SpaceId space : spaces()) sweep(space);
    sort_pairs(out_.pairs);
    return std::move(out_);
  }

 private:
  bool stopped() const { return limits_.budget.stop.stop_requested(); }

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
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (items_[i].space == space && takes_part(items_[i])) placed.push_back({items_[i].view.extent.begin, i});
    }
    sort_placed(placed);
    std::vector<std::uint32_t> cluster;
    for (std::size_t first = 0; first < placed.size();) {
      cluster.assign(1, placed[first].position);
      Address end = items_[placed[first].position].view.extent.end;
      std::size_t last = first + 1;
      for (; last < placed.size() && placed[last].key < end; ++last) {
        cluster.push_back(placed[last].position);
        end = std::max(end, items_[placed[last].position].view.extent.end);
      }
      cluster.size() == 1 ? add_single(items_[cluster.front()]) : add_cluster(space, cluster);
      first = last;
    }
  }

  void add_single(const SharingItem& item) {
    const std::uint64_t bytes = stopped() ? kUnknownBytes : distinct_bytes(item.view, limits_.budget).value_or(kUnknownBytes);
    out_.groups.push_back({item.space, item.view.extent, bytes, {item.id}});
    if (stopped()) out_.groups_complete = false;
  }

  void add_cluster(SpaceId space, std::span<const std::uint32_t> positions) {
    cluster_.load(items_, positions);
    if (!cluster_.add_pairs(out_.pairs, limits_)) {
      out_.pairs_truncated = true;
      if (stopped() || !connect_all(cluster_, limits_.budget)) out_.groups_complete = false;
    }
    for (const SharingCluster::Undecided pair : cluster_.undecided()) {
      if (!cluster_.connected().joined(pair.first, pair.second)) out_.groups_complete = false;
    }
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
      group.distinct_bytes = stopped() ? kUnknownBytes : union_bytes(sets[i], limits_.budget);
    }
  }

  std::span<const SharingItem> items_;
  const SharingLimits& limits_;
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
