#include "core/sharing/residue_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

// The sets share a byte if a run start x of a and a run start y of b satisfy -run_b < y
// - x < run_a. With b's indices counted from the last one down, y - x is a constant
// minus a sum of non-negative steps, so the search is for steps with low <= sum <= high.
class StepSearch {
 public:
  StepSearch(const StridedSet& a, const StridedSet& b, std::uint64_t node_limit, const std::stop_token& stop)
      : nodes_left_(node_limit), stop_(stop) {
    add_axes(a);
    add_axes(b);
    const auto used = std::span(axes_).first(rank_);
    std::ranges::sort(used, std::ranges::greater{}, &Axis::stride);
    for (std::size_t i = rank_; i-- > 0;) {
      reach_[i] = reach_[i + 1] + static_cast<std::int64_t>(axes_[i].stride * (axes_[i].count - 1));
      divisor_[i] = std::gcd(divisor_[i + 1], static_cast<std::int64_t>(axes_[i].stride));
    }
    const auto difference = static_cast<std::int64_t>(b.base - a.base);
    const auto run_a = static_cast<std::int64_t>(a.axes.front().count);
    const auto run_b = static_cast<std::int64_t>(b.axes.front().count);
    const auto far_b = static_cast<std::int64_t>(b.span) - run_b;  // offset of b's last run
    low_ = difference + far_b - run_a + 1;
    high_ = difference + far_b + run_b - 1;
  }

  std::optional<bool> run() {
    const bool found = reaches(0, low_, high_);
    if (exhausted_) return std::nullopt;
    return found;
  }

 private:
  void add_axes(const StridedSet& set) {
    for (const Axis& axis : set.axes.subspan(1)) axes_[rank_++] = axis;
  }

  bool reaches(std::size_t depth, std::int64_t low, std::int64_t high) {
    if (nodes_left_ == 0 || (nodes_left_ % 1024 == 0 && stop_.stop_requested())) {
      exhausted_ = true;
      return false;
    }
    --nodes_left_;
    low = std::max<std::int64_t>(low, 0);
    high = std::min(high, reach_[depth]);
    if (low > high) return false;
    if (depth == rank_) return true;
    if (floor_div(high, divisor_[depth]) * divisor_[depth] < low) return false;
    const auto stride = static_cast<std::int64_t>(axes_[depth].stride);
    // Tries high indices first: then the least remains for the smaller strides, which most often can reach it.
    const std::int64_t most = std::min(high / stride, static_cast<std::int64_t>(axes_[depth].count) - 1);
    const std::int64_t least = std::max<std::int64_t>(ceil_div(low - reach_[depth + 1], stride), 0);
    for (std::int64_t steps = most; steps >= least && !exhausted_; --steps) {
      if (reaches(depth + 1, low - steps * stride, high - steps * stride)) return true;
    }
    return false;
  }

  static constexpr std::size_t kMaxAxes = 2 * kMaxRank;
  std::array<Axis, kMaxAxes> axes_;
  std::array<std::int64_t, kMaxAxes + 1> reach_{};    // the largest sum of axes i and later
  std::array<std::int64_t, kMaxAxes + 1> divisor_{};  // divides every sum of axes i and later
  std::size_t rank_ = 0;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  std::uint64_t nodes_left_;
  const std::stop_token& stop_;
  bool exhausted_ = false;
};

}  // namespace

bool residues_are_disjoint(const StridedSet& a, const StridedSet& b) {
  std::uint64_t divisor = 0;
  for (const Axis& axis : a.axes.subspan(1)) divisor = std::gcd(divisor, axis.stride);
  for (const Axis& axis : b.axes.subspan(1)) divisor = std::gcd(divisor, axis.stride);
  if (divisor == 0) return false;  // two runs
  const std::uint64_t run_a = a.axes.front().count;
  const std::uint64_t run_b = b.axes.front().count;
  const std::uint64_t ahead = b.base >= a.base ? (b.base - a.base) % divisor : (divisor - (a.base - b.base) % divisor) % divisor;
  // a has the residues [0, run_a), b has [ahead, ahead + run_b), both modulo the divisor.
  return run_a <= ahead && ahead + run_b <= divisor;
}

std::optional<bool> search_common_byte(const StridedSet& a, const StridedSet& b, std::uint64_t node_limit,
                                       const std::stop_token& stop) {
  return StepSearch(a, b, node_limit, stop).run();
}

}  // namespace dlscope::core
