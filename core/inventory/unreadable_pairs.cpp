#include "core/inventory/unreadable_pairs.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "core/sharing/stop_watch.h"

namespace dlscope::core {
namespace {

class UnreadableSweep {
 public:
  UnreadableSweep(const Snapshot& snapshot, std::span<const std::uint8_t> is_doubtful, std::uint64_t max_pairs,
                  const std::stop_token& stop)
      : snapshot_(snapshot), is_doubtful_(is_doubtful), max_pairs_(max_pairs), watch_(stop) {}

  UnreadablePairs run(std::span<const std::uint8_t> is_compared) {
    for (std::uint32_t id = 0; id < snapshot_.tensors.size(); ++id) {
      if (is_doubtful_[id] != 0 || is_compared[id] != 0) order_.push_back(id);
    }
    if (sort_unless_stopped(order_, watch_, [&](std::uint32_t id) { return std::pair(tensor(id).space, extent(id).begin); })) {
      sweep();
    } else {
      out_.missing_pairs = UnknownWhy::stopped;
    }
    sort_pairs();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const TensorRecord& tensor(std::uint32_t id) const { return snapshot_.tensors[id]; }
  [[nodiscard]] ByteRange extent(std::uint32_t id) const { return tensor(id).extent; }

  void sweep() {
    SpaceId space = kNoSpace;
    for (const std::uint32_t id : order_) {
      if (tensor(id).space != space) {
        doubtful_.clear();
        compared_.clear();
        space = tensor(id).space;
      }
      // The list of compared tensors, which may be long, is visited only for what has to be listed with each of them.
      const bool go_on = list_with(id, doubtful_) && (is_doubtful_[id] == 0 || list_with(id, compared_));
      if (!go_on) return;
      (is_doubtful_[id] != 0 ? doubtful_ : compared_).push_back(id);
    }
  }

  // Stopped: no pairs are left, because unsorted ones are of no use, and there may be too many to sort after a stop.
  void sort_pairs() {
    if (sort_unless_stopped(out_.pairs, watch_, [](const SharingPair& pair) { return std::uint64_t{pair.a} << 32 | pair.b; }))
      return;
    out_.pairs.clear();
    out_.missing_pairs = UnknownWhy::stopped;
  }

  // Lists the pairs of the tensor with those of `earlier`, which begin before it, and drops the ones that end before it begins.
  // False: stopped, or at the limit.
  bool list_with(std::uint32_t id, std::vector<std::uint32_t>& earlier) {
    std::erase_if(earlier, [&](std::uint32_t other) { return extent(other).end <= extent(id).begin; });
    for (const std::uint32_t other : earlier) {
      if (!watch_.go_on(kStepsPerPair)) return end(UnknownWhy::stopped);
      if (out_.pairs.size() >= max_pairs_) return end(UnknownWhy::pair_bound);
      SharingPair pair;
      std::tie(pair.a, pair.b) = std::minmax(id, other);
      pair.relation = Relation::unknown;
      pair.why = UnknownWhy::unreadable;
      out_.pairs.push_back(pair);
    }
    return watch_.go_on(1) || end(UnknownWhy::stopped);
  }

  bool end(UnknownWhy why) {
    out_.missing_pairs = why;
    return false;
  }

  static constexpr std::uint64_t kStepsPerPair = 8;

  const Snapshot& snapshot_;
  std::span<const std::uint8_t> is_doubtful_;
  std::uint64_t max_pairs_;
  StopWatch watch_;
  std::vector<std::uint32_t> order_;               // the tensors that take part, by (space, begin)
  std::vector<std::uint32_t> doubtful_, compared_;  // of those visited, the ones that later ones may meet
  UnreadablePairs out_;
};

}  // namespace

UnreadablePairs pairs_with_unreadable(const Snapshot& snapshot, std::span<const std::uint8_t> is_doubtful,
                                      std::span<const std::uint8_t> is_compared, std::uint64_t max_pairs,
                                      const std::stop_token& stop) {
  if (std::ranges::all_of(is_doubtful, [](std::uint8_t doubtful) { return doubtful == 0; })) return {};
  return UnreadableSweep(snapshot, is_doubtful, max_pairs, stop).run(is_compared);
}

}  // namespace dlscope::core
