#include "core/sharing/sharing_cluster.h"

#include <algorithm>
#include <utility>

#include "core/sharing/sharing_groups.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kMostListed = 32'768;  // then they are compared: enough for four threads, and few enough for the cache

std::uint64_t hash_of(const PlacedView& view, std::span<const Axis> pool) {
  std::uint64_t hash = view.extent.end ^ view.unit_bits ^ view.phase;
  for (const Axis& axis : view.axes(pool)) {
    for (const std::uint64_t number : {axis.stride, axis.count}) {
      hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

FoundPairs::Entry entry_of(std::uint32_t first_rank, std::uint32_t second_rank, std::size_t overlap) {
  const bool turned = first_rank > second_rank;
  const std::uint64_t low = turned ? second_rank : first_rank, high = turned ? first_rank : second_rank;
  return {low << 32 | high, static_cast<std::uint32_t>(overlap), turned};
}

// Makes room for `more` elements. Reserves generously, because moving the elements costs time, but untouched memory costs
// nothing; and at least twice as much as before, because there may be many clusters.
template <class Element>
void make_room(std::vector<Element>& elements, std::uint64_t more) {
  const std::uint64_t needed = elements.size() + more;
  if (needed > elements.capacity()) elements.reserve(std::max<std::uint64_t>(needed, 2 * elements.capacity()));
}

}  // namespace

std::size_t ListedPairs::add(SharingCluster& cluster, std::uint32_t first_class, std::uint32_t second_class) {
  const std::span<const ViewClass> classes = cluster.classes();
  pairs_.push_back({&classes[first_class].prepared, &classes[second_class].prepared});
  classes_.push_back({&cluster, first_class, second_class});
  found_.overlaps.emplace_back();
  return found_.overlaps.size() - 1;
}

bool ListedPairs::full() const { return pairs_.size() >= kMostListed; }

bool ListedPairs::compare() {
  const std::size_t first = found_.overlaps.size() - pairs_.size();
  const std::span<SetOverlap> overlaps = std::span(found_.overlaps).subspan(first);
  const bool done = compare_sets(pairs_, overlaps, budget_, threads_);
  if (done) {
    for (std::size_t i = 0; i < overlaps.size(); ++i)
      classes_[i].cluster->accept(classes_[i].first, classes_[i].second, overlaps[i]);
    compared_entries_ = found_.entries.size();
  } else {
    found_.overlaps.resize(first);
    found_.entries.resize(compared_entries_);
  }
  pairs_.clear();
  classes_.clear();
  return done;
}

void SharingCluster::load(std::span<PlacedView> views, std::span<const Axis> pool) {
  pool_ = pool;
  classes_.clear();
  undecided_.clear();
  for (std::size_t first = 0; first < views.size();) {
    const Address begin = views[first].extent.begin;
    std::size_t last = first + 1;
    while (last < views.size() && views[last].extent.begin == begin) ++last;
    group_equal_views(views.subspan(first, last - first));
    first = last;
  }
  std::size_t levels = 0;
  for (const ViewClass& c : classes_) levels += c.prepared.set.axes.size();
  levels_.resize(levels);
  std::size_t used = 0;
  for (ViewClass& c : classes_) {
    const StridedSet& set = c.prepared.set;
    c.prepared.top = set.nested && set.in_bytes() ? chain_levels(set.axes, &levels_[used]) : nullptr;
    used += set.axes.size();
  }
  connected_.reset(classes_.size());
}

void SharingCluster::group_equal_views(std::span<PlacedView> same_begin) {
  const auto add_class = [&](std::span<const PlacedView> members) {
    classes_.push_back({{members.front().set(pool_), nullptr}, members});
  };
  if (same_begin.size() == 1) return add_class(same_begin);
  struct Hashed {
    std::uint64_t hash;
    PlacedView view;
  };
  std::vector<Hashed> hashed;
  hashed.reserve(same_begin.size());
  for (const PlacedView& view : same_begin) hashed.push_back({hash_of(view, pool_), view});
  std::ranges::sort(hashed, {}, [](const Hashed& h) { return std::pair(h.hash, h.view.rank); });
  for (std::size_t i = 0; i < hashed.size(); ++i) same_begin[i] = hashed[i].view;
  for (std::size_t first = 0; first < hashed.size();) {
    // Equal sets may lie apart if different sets have the same hash; that only makes one more class.
    std::size_t last = first + 1;
    while (last < hashed.size() && hashed[last].hash == hashed[first].hash &&
           same_set(same_begin[first], same_begin[last], pool_)) {
      ++last;
    }
    add_class(same_begin.subspan(first, last - first));
    first = last;
  }
}

bool SharingCluster::list_pairs(ListedPairs& listed, std::uint64_t max_pairs) {
  active_.clear();
  FoundPairs& out = listed.found();
  std::uint64_t views = 0;
  for (const ViewClass& c : classes_) views += c.members.size();
  const std::uint64_t room = max_pairs - std::min<std::uint64_t>(max_pairs, out.entries.size());
  const std::uint64_t most = std::min(room, views * (views - 1) / 2);
  make_room(out.entries, most);
  make_room(out.overlaps, most);
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    if (listed.stopped()) return false;
    const ViewClass& current = classes_[i];
    if (current.members.size() > 1 && !list_pairs_within(current, listed.add(*this, i, i), out, max_pairs)) return false;
    std::erase_if(active_, [&](std::uint32_t j) { return classes_[j].prepared.set.end() <= current.prepared.set.base; });
    for (const std::uint32_t j : active_) {
      if (out.entries.size() >= max_pairs) return false;
      if (!list_pairs_between(classes_[j], current, listed.add(*this, j, i), out, max_pairs)) return false;
      if (listed.full() && !listed.compare()) return false;
    }
    active_.push_back(i);
  }
  return true;
}

void SharingCluster::accept(std::uint32_t first, std::uint32_t second, const SetOverlap& overlap) {
  if (first == second) return;
  if (!overlap.known())
    add_undecided(first, second);
  else if (overlap.shared_bytes > 0)
    connected_.join(first, second);
}

bool SharingCluster::list_pairs_within(const ViewClass& c, std::size_t overlap, FoundPairs& out, std::uint64_t max_pairs) {
  for (std::size_t i = 0; i < c.members.size(); ++i) {
    for (std::size_t j = i + 1; j < c.members.size(); ++j) {
      if (out.entries.size() >= max_pairs) return false;
      out.entries.push_back(entry_of(c.members[i].rank, c.members[j].rank, overlap));
    }
  }
  return true;
}

bool SharingCluster::list_pairs_between(const ViewClass& a, const ViewClass& b, std::size_t overlap, FoundPairs& out,
                                        std::uint64_t max_pairs) {
  for (const PlacedView& in_a : a.members) {
    for (const PlacedView& in_b : b.members) {
      if (out.entries.size() >= max_pairs) return false;
      out.entries.push_back(entry_of(in_a.rank, in_b.rank, overlap));
    }
  }
  return true;
}

void SharingCluster::add_groups(SpaceId space, Sharing& out, WorkBudget& budget) {
  // Sorts classes by group, and groups by their lowest class, which means by begin.
  std::vector<std::uint64_t> by_group(classes_.size());
  for (std::uint32_t i = 0; i < classes_.size(); ++i) by_group[i] = std::uint64_t{connected_.find(i)} << 32 | i;
  std::ranges::sort(by_group);
  std::vector<const PreparedSet*> sets;
  for (std::size_t first = 0; first < by_group.size();) {
    sets.clear();
    SharingGroup group{{~Address{0}, 0}, 0, static_cast<std::uint32_t>(out.members.size()), 0, space};
    std::size_t i = first;
    for (; i < by_group.size() && by_group[i] >> 32 == by_group[first] >> 32; ++i) {
      const ViewClass& c = classes_[static_cast<std::uint32_t>(by_group[i])];
      sets.push_back(&c.prepared);
      group.range = {std::min(group.range.begin, c.prepared.set.base), std::max(group.range.end, c.prepared.set.end())};
      for (const PlacedView& member : c.members) out.members.push_back(member.id);
    }
    group.member_count = static_cast<std::uint32_t>(out.members.size()) - group.first_member;
    std::ranges::sort(std::span(out.members).subspan(group.first_member));
    group.distinct_bytes = kUnknownBytes;
    if (sets.size() == 1)
      group.distinct_bytes = classes_[static_cast<std::uint32_t>(by_group[first])].members.front().distinct_bytes;
    if (group.distinct_bytes == kUnknownBytes && !budget.stopped()) group.distinct_bytes = union_bytes(sets, budget);
    out.groups.push_back(group);
    first = i;
  }
}

}  // namespace dlscope::core
