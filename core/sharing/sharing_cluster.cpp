#include "core/sharing/sharing_cluster.h"

#include <algorithm>
#include <utility>

namespace dlscope::core {
namespace {

bool same_view(const MemoryView& a, const MemoryView& b) {
  return a.address == b.address && a.layout.item_bits == b.layout.item_bits &&
         std::ranges::equal(a.layout.shape, b.layout.shape) && std::ranges::equal(a.layout.stride_bits, b.layout.stride_bits);
}

std::uint64_t hash_of(const MemoryView& view) {
  std::uint64_t hash = view.address ^ view.layout.item_bits;
  const auto add = [&](std::int64_t number) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  std::ranges::for_each(view.layout.shape, add);
  std::ranges::for_each(view.layout.stride_bits, add);
  return hash;
}

// The same answer, told from the other side.
Overlap turned(Overlap overlap) {
  overlap.relation = mirrored(overlap.relation);
  if (overlap.witness) std::swap(overlap.witness->a_flat, overlap.witness->b_flat);
  return overlap;
}

}  // namespace

void SharingCluster::load(std::span<const SharingItem> items, std::span<const std::uint32_t> positions) {
  items_ = items;
  positions_.assign(positions.begin(), positions.end());
  classes_.clear();
  axes_.clear();
  undecided_.clear();
  for (std::size_t first = 0; first < positions_.size();) {
    const Address begin = items[positions_[first]].view.extent.begin;
    std::size_t last = first + 1;
    while (last < positions_.size() && items[positions_[last]].view.extent.begin == begin) ++last;
    group_equal_views(std::span(positions_).subspan(first, last - first));
    first = last;
  }
  const Axis* next = axes_.data();  // now that they no longer move
  for (ViewClass& c : classes_) {
    const std::size_t rank = c.prepared.set.axes.size();
    c.prepared.set.axes = {next, rank};
    next += rank;
  }
  connected_.reset(classes_.size());
}

void SharingCluster::group_equal_views(std::span<std::uint32_t> same_begin) {
  const auto add_class = [&](std::span<const std::uint32_t> members) {
    AxisStorage storage;
    ViewClass& c = classes_.emplace_back();
    c.members = members;
    c.prepared.view = &items_[members.front()].view;
    c.prepared.set = bytes_of(*c.prepared.view, storage);
    if (c.prepared.set.nested) {
      OverlapBudget little;
      little.work = 0;
      std::uint64_t spent = 0;
      c.prepared.knows_lowest = find_element(*c.prepared.view, c.prepared.set.base, little, c.prepared.lowest_number, spent);
    }
    axes_.insert(axes_.end(), c.prepared.set.axes.begin(), c.prepared.set.axes.end());
  };
  if (same_begin.size() == 1) return add_class(same_begin);

  struct Hashed {
    std::uint64_t hash;
    std::uint32_t position;
  };
  std::vector<Hashed> hashed;
  hashed.reserve(same_begin.size());
  for (const std::uint32_t position : same_begin) hashed.push_back({hash_of(items_[position].view), position});
  std::ranges::sort(hashed, {}, [](const Hashed& h) { return std::pair(h.hash, h.position); });
  for (std::size_t i = 0; i < hashed.size(); ++i) same_begin[i] = hashed[i].position;
  for (std::size_t first = 0; first < hashed.size();) {
    // Different layouts with one hash only cost a class more.
    std::size_t last = first + 1;
    while (last < hashed.size() && hashed[last].hash == hashed[first].hash &&
           same_view(items_[same_begin[first]].view, items_[same_begin[last]].view)) {
      ++last;
    }
    add_class(same_begin.subspan(first, last - first));
    first = last;
  }
}

bool SharingCluster::add_pairs(std::vector<SharingPair>& out, std::uint64_t max_pairs, WorkBudget& budget) {
  active_.clear();
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    const ViewClass& current = classes_[i];
    if (!add_pairs_within(current, out, max_pairs, budget)) return false;
    std::erase_if(active_, [&](std::uint32_t j) { return classes_[j].prepared.set.end() <= current.prepared.set.base; });
    for (const std::uint32_t j : active_) {
      if (out.size() >= max_pairs || budget.stopped()) return false;
      const Overlap overlap = budget.compare(classes_[j].prepared, current.prepared);
      if (overlap.relation == Relation::unknown)
        add_undecided(j, i);
      else if (*overlap.shared_bytes > 0)
        connected_.join(i, j);
      if (!add_pairs_between(classes_[j], current, overlap, out, max_pairs)) return false;
    }
    active_.push_back(i);
  }
  return true;
}

bool SharingCluster::add_pairs_within(const ViewClass& c, std::vector<SharingPair>& out, std::uint64_t max_pairs,
                                      WorkBudget& budget) {
  if (c.members.size() < 2) return true;
  const Overlap overlap = budget.compare(c.prepared, c.prepared);
  for (std::size_t i = 0; i < c.members.size(); ++i) {
    for (std::size_t j = i + 1; j < c.members.size(); ++j) {
      if (out.size() >= max_pairs) return false;
      const auto [a, b] = std::minmax(items_[c.members[i]].id, items_[c.members[j]].id);
      out.push_back({a, b, overlap});
    }
  }
  return !budget.stopped();
}

bool SharingCluster::add_pairs_between(const ViewClass& a, const ViewClass& b, const Overlap& overlap,
                                       std::vector<SharingPair>& out, std::uint64_t max_pairs) const {
  for (const std::uint32_t in_a : a.members) {
    for (const std::uint32_t in_b : b.members) {
      if (out.size() >= max_pairs) return false;
      const std::uint32_t id_a = items_[in_a].id;
      const std::uint32_t id_b = items_[in_b].id;
      if (id_a < id_b)
        out.push_back({id_a, id_b, overlap});
      else
        out.push_back({id_b, id_a, turned(overlap)});
    }
  }
  return true;
}

}  // namespace dlscope::core
