#include "core/inventory/unchanged_tensors.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/radix_sort.h"

namespace dlscope::core {
namespace {

// After so many tensors, which take less than a millisecond, the stop token is looked at.
constexpr std::uint32_t kTensorsPerLook = 4096;

bool same_place(const Snapshot& earlier, const TensorRecord& before, const Snapshot& now, const TensorRecord& t) {
  if (before.address != t.address) return false;  // first: most others end here, without reading the rest of the record
  // Where pages are mapped more than once, the mappings may have changed though the addresses have not.
  return before.page_shift == 0 && t.page_shift == 0 && before.extent == t.extent &&
         before.space == t.space && before.rank == t.rank && before.item_bits == t.item_bits && before.has_layout &&
         t.has_layout &&
         std::ranges::equal(earlier.shape(before), now.shape(t)) &&
         std::ranges::equal(earlier.stride_bits(before), now.stride_bits(t));
}

std::uint64_t hash_of(const Snapshot& snapshot, const TensorRecord& t) {
  std::uint64_t hash = 0;
  const auto mix = [&hash](std::uint64_t number) {
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  mix(t.address);
  mix(t.extent.end);
  mix(std::uint64_t{t.item_bits} << 32 | std::uint64_t{t.space} << 8 | t.rank);
  for (const std::int64_t size : snapshot.shape(t)) mix(static_cast<std::uint64_t>(size));
  for (const std::int64_t stride : snapshot.stride_bits(t)) mix(static_cast<std::uint64_t>(stride));
  return hash;
}

class Matching {
 public:
  Matching(const Snapshot& earlier, const Snapshot& now, const std::stop_token& stop)
      : earlier_(earlier), now_(now), stop_(stop), match_(now.tensors.size(), kNone32), taken_(earlier.tensors.size(), 0) {}

  std::vector<std::uint32_t> run() {
    match_in_order();
    if (!stop_.stop_requested() && may_be_elsewhere()) match_by_hash();
    return std::move(match_);
  }

 private:
  [[nodiscard]] bool stopped_at(std::uint32_t id) const {
    return id % kTensorsPerLook == kTensorsPerLook - 1 && stop_.stop_requested();
  }

  // Scans visit names in the same order, so the tensors after one that was added, removed or changed match again. Looks ahead,
  // over tensors that were removed, only once for every kAhead that do not match, and after kMany of them tries only every
  // kAhead-th, so that a snapshot of other tensors costs little.
  void match_in_order() {
    constexpr std::size_t kMany = 1024;
    std::size_t next = 0;  // in `earlier`; only increases
    std::size_t missed = 0;
    for (std::uint32_t id = 0; id < match_.size(); ++id) {
      if (stopped_at(id)) return;
      const bool looks_ahead = missed % kAhead == 0;
      const bool found = (looks_ahead || missed < kMany) &&
                         (matches(id, next + missed) || (missed > 0 && matches(id, next)) ||
                          (looks_ahead && matches_within(id, next + missed)) ||
                          (looks_ahead && missed > 0 && matches_within(id, next)));
      if (found) {
        next = match_[id] + std::size_t{1};
        missed = 0;
      } else {
        ++missed;
        if (is_sampled(now_.tensors[id]) && is_left(id)) sample_.push_back(hash_of(now_, now_.tensors[id]));
      }
    }
  }

  bool matches(std::uint32_t id, std::size_t i) {
    if (i >= earlier_.tensors.size() || !same_place(earlier_, earlier_.tensors[i], now_, now_.tensors[id])) return false;
    match_[id] = static_cast<std::uint32_t>(i);
    taken_[i] = 1;
    return true;
  }

  // Tries the tensors after `first`.
  bool matches_within(std::uint32_t id, std::size_t first) {
    for (std::size_t i = first + 1; i < first + kAhead; ++i) {
      if (matches(id, i)) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_left(std::uint32_t id) const { return match_[id] == kNone32 && now_.tensors[id].has_layout; }

  // One tensor of 64, the same ones in both snapshots.
  [[nodiscard]] static bool is_sampled(const TensorRecord& t) { return (t.address * 0x9e3779b97f4a7c15u) >> 58 == 0; }

  // Whether some tensors that the first pass left over may be in the earlier snapshot at another position. False: none of a
  // sample that is large enough is there.
  [[nodiscard]] bool may_be_elsewhere() const {
    constexpr std::size_t kEnough = 32;
    if (sample_.size() < kEnough) return true;
    std::vector<std::uint64_t> then;
    for (std::uint32_t id = 0; id < taken_.size(); ++id) {
      if (taken_[id] == 0 && is_sampled(earlier_.tensors[id])) then.push_back(hash_of(earlier_, earlier_.tensors[id]));
    }
    std::ranges::sort(then);
    return std::ranges::any_of(sample_, [&](std::uint64_t hash) { return std::ranges::binary_search(then, hash); });
  }

  struct Hashed {
    std::uint64_t hash;
    std::uint32_t id;
  };

  // For names in another order: matches what the first pass left over,
  // by hash. Equal tensors are matched in the order of their ids.
  void match_by_hash() {
    std::vector<Hashed> before, after;
    for (std::uint32_t id = 0; id < match_.size(); ++id) {
      if (stopped_at(id)) return;
      if (is_left(id)) after.push_back({hash_of(now_, now_.tensors[id]), id});
    }
    if (after.empty()) return;
    for (std::uint32_t id = 0; id < taken_.size(); ++id) {
      if (stopped_at(id)) return;
      if (taken_[id] == 0 && earlier_.tensors[id].has_layout) before.push_back({hash_of(earlier_, earlier_.tensors[id]), id});
    }
    const auto hash = [](const Hashed& h) { return h.hash; };
    sort_by_key(before, hash);  // stable: equal ones stay in the order of their ids
    sort_by_key(after, hash);
    auto candidate = before.begin();
    for (const Hashed& h : after) {
      while (candidate != before.end() && candidate->hash < h.hash) ++candidate;
      if (candidate == before.end()) return;
      if (candidate->hash != h.hash || !same_place(earlier_, earlier_.tensors[candidate->id], now_, now_.tensors[h.id])) continue;
      match_[h.id] = candidate->id;
      ++candidate;
    }
  }

  static constexpr std::size_t kAhead = 8;

  const Snapshot& earlier_;
  const Snapshot& now_;
  const std::stop_token& stop_;
  std::vector<std::uint32_t> match_;   // the result
  std::vector<std::uint8_t> taken_;    // by tensor of `earlier`: 1: already matched
  std::vector<std::uint64_t> sample_;  // hashes of some tensors that match_in_order() left over
};

}  // namespace

std::vector<std::uint32_t> find_unchanged(const Snapshot& earlier, const Snapshot& now, const std::stop_token& stop) {
  return Matching(earlier, now, stop).run();
}

}  // namespace dlscope::core
