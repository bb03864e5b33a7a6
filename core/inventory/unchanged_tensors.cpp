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
  // Where pages are mapped more than once, the mappings may have changed though the addresses have not.
  return before.page_shift == 0 && t.page_shift == 0 && before.address == t.address && before.extent == t.extent &&
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
    if (!stop_.stop_requested()) match_by_hash();
    return std::move(match_);
  }

 private:
  [[nodiscard]] bool stopped_at(std::uint32_t id) const {
    return id % kTensorsPerLook == kTensorsPerLook - 1 && stop_.stop_requested();
  }

  // Scans visit names in the same order, so the tensors after one that was added, removed or changed match again.
  void match_in_order() {
    std::size_t next = 0;  // in `earlier`; only increases
    std::size_t missed = 0;
    for (std::uint32_t id = 0; id < match_.size(); ++id) {
      if (stopped_at(id)) return;
      if (match_within(id, next) || (missed >= kAhead && match_within(id, next + missed))) {
        next = match_[id] + std::size_t{1};
        missed = 0;
      } else {
        ++missed;
      }
    }
  }

  // Tries the kAhead tensors from `first` on.
  bool match_within(std::uint32_t id, std::size_t first) {
    const std::size_t end = std::min(first + kAhead, earlier_.tensors.size());
    for (std::size_t i = first; i < end; ++i) {
      if (!same_place(earlier_, earlier_.tensors[i], now_, now_.tensors[id])) continue;
      match_[id] = static_cast<std::uint32_t>(i);
      taken_[i] = 1;
      return true;
    }
    return false;
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
      if (match_[id] == kNone32 && now_.tensors[id].has_layout) after.push_back({hash_of(now_, now_.tensors[id]), id});
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
  std::vector<std::uint32_t> match_;  // the result
  std::vector<std::uint8_t> taken_;   // by tensor of `earlier`: 1: already matched
};

}  // namespace

std::vector<std::uint32_t> find_unchanged(const Snapshot& earlier, const Snapshot& now, const std::stop_token& stop) {
  return Matching(earlier, now, stop).run();
}

}  // namespace dlscope::core
