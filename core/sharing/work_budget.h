// WorkBudget: one budget for many comparisons. Each comparison gets at most what the earlier ones left, so that many hard pairs
// end in bounded time, with "unknown" for the last ones. Closed forms are always allowed.
// thread: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/sharing/prepared_set.h"

namespace dlscope::core {

class WorkBudget {
 public:
  WorkBudget(const OverlapBudget& each, std::uint64_t work) : each_(each), most_(each.work), left_(work) {}

  [[nodiscard]] bool stopped() const { return each_.stop.stop_requested(); }
  [[nodiscard]] std::uint64_t left() const { return left_; }
  void spend(std::uint64_t work) { left_ -= std::min(left_, work); }
  // The budget of the next comparison.
  [[nodiscard]] const OverlapBudget& now() {
    each_.work = std::min(most_, left_);
    return each_;
  }

  // Closed forms do not look at the stop token one by one, so that they stay known; after many of them it is looked at here.
  [[nodiscard]] SetOverlap compare(const PreparedSet& a, const PreparedSet& b) {
    if (unwatched_ >= kWorkPerLook) {
      if (stopped()) return unknown_overlap(OverlapMethod::extent, each_.stop);
      unwatched_ = 0;
    }
    std::uint64_t spent = 0;
    const SetOverlap overlap = overlap_of_sets(a, b, now(), spent);
    spend(spent);
    unwatched_ += spent;
    return overlap;
  }
  [[nodiscard]] std::optional<std::uint64_t> count(const StridedSet& set) {
    std::uint64_t spent = 0;
    const auto bytes = count_bytes(set, now(), spent);
    spend(spent);
    return bytes;
  }

 private:
  static constexpr std::uint64_t kWorkPerLook = std::uint64_t{1} << 15;  // a millisecond at most

  OverlapBudget each_;
  std::uint64_t most_;
  std::uint64_t left_;
  std::uint64_t unwatched_ = 0;  // spent since the last look
};

}  // namespace dlscope::core
