#include "core/sharing/first_element_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "core/base/checked_math.h"
#include "core/sharing/byte_set.h"
#include "core/sharing/costs.h"
#include "core/sharing/joint_window.h"
#include "core/sharing/stop_watch.h"
#include "core/sharing/strided_set.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kFirstNodes = 64;
constexpr std::uint64_t kSearchNodes = std::uint64_t{1} << 20;

// For any layout: finds the lowest index of the first axis that the
// other axes can complete to a hit, then that of the second, and so on.
class FirstElementSearch {
 public:
  FirstElementSearch(LayoutView layout, StartRange range, const OverlapBudget& budget) : budget_(budget) {
    ElementAxes elements;
    collect_axes(layout, elements);
    elements_.rank = elements.rank;
    std::reverse_copy(elements.axes.begin(), elements.axes.begin() + static_cast<std::ptrdiff_t>(elements.rank),
                      elements_.axes.begin());
    range_ = range;
    reach_[elements.rank] = divisor_[elements.rank] = 0;
    for (std::size_t i = elements.rank; i-- > 0;) {
      reach_[i] = reach_[i + 1] + elements_.axes[i].stride * (elements_.axes[i].count - 1);
      divisor_[i] = 1;
    }
  }

  using Found = ElementFound;

  Found run() {
    // Sliding windows and similar layouts are decided within a few steps.
    Found found = depth_first(kFirstNodes);
    if (found != Found::over_budget) return found;
    use_divisors();
    const std::uint64_t nodes = std::min(kSearchNodes, budget_.work / 2 / kWordsPerNode);  // the other half is for the bit sets
    found = depth_first(nodes);
    spent_ += (nodes - nodes_left_) * kWordsPerNode;
    if (found != Found::over_budget || budget_.stop.stop_requested()) return found;
    return by_bit_sets();
  }

  std::uint64_t number() const { return number_; }
  std::uint64_t spent() const { return spent_; }

 private:
  struct Steps {
    std::int64_t least;
    std::int64_t most;
  };

  Found depth_first(std::uint64_t nodes) {
    number_ = 0;
    nodes_left_ = nodes;
    exhausted_ = false;
    const bool found = descend(0, range_);
    return exhausted_ ? Found::over_budget : found ? Found::yes : Found::no;
  }

  // Converts everything to units of the strides' common divisor, which keeps the bit sets small, and computes for each tail of
  // axes the common divisor of its sums, which prunes the search.
  void use_divisors() {
    std::int64_t unit = 0;
    for (std::size_t i = 0; i < elements_.rank; ++i) unit = std::gcd(unit, elements_.axes[i].stride);
    range_ = {ceil_div(range_.low, unit), floor_div(range_.high, unit)};
    for (std::size_t i = elements_.rank; i-- > 0;) {
      elements_.axes[i].stride /= unit;
      reach_[i] /= unit;
      divisor_[i] = std::gcd(divisor_[i + 1], elements_.axes[i].stride);
    }
  }

  // Goes axis by axis with a bit set of all sums of the later axes, so that no step has to be undone.
  Found by_bit_sets() {
    StartRange range = range_;
    number_ = 0;
    for (std::size_t depth = 0; depth < elements_.rank; ++depth) {
      range = {std::max<std::int64_t>(range.low, 0), std::min(range.high, reach_[depth])};
      if (range.low > range.high) return Found::no;
      const Found step = choose(depth, range);
      if (step != Found::yes) return step;
    }
    return range.low <= 0 && range.high >= 0 ? Found::yes : Found::no;
  }

  Steps steps_for(std::size_t depth, StartRange range) const {
    const ElementAxis& axis = elements_.axes[depth];
    return {std::max<std::int64_t>(ceil_div(range.low - reach_[depth + 1], axis.stride), 0),
            std::min(range.high / axis.stride, axis.count - 1)};
  }

  bool descend(std::size_t depth, StartRange range) {
    if (nodes_left_ == 0 || (nodes_left_ % 4096 == 0 && budget_.stop.stop_requested())) exhausted_ = true;
    if (exhausted_) return false;
    --nodes_left_;
    range = {std::max<std::int64_t>(range.low, 0), std::min(range.high, reach_[depth])};
    if (range.low > range.high) return false;
    if (depth == elements_.rank) return true;
    if (range.high / divisor_[depth] * divisor_[depth] < range.low) return false;
    const ElementAxis& axis = elements_.axes[depth];
    const Steps steps = steps_for(depth, range);
    for (std::int64_t i = 0; i <= steps.most - steps.least && !exhausted_; ++i) {
      const std::int64_t step = axis.flipped ? steps.most - i : steps.least + i;
      const std::int64_t moved = step * axis.stride;
      if (!descend(depth + 1, {range.low - moved, range.high - moved})) continue;
      number_ += axis.number_of(step);
      return true;
    }
    return false;
  }

  // Finds the lowest index of axis `depth` that the later axes can complete; subtracts its offset from `range`.
  Found choose(std::size_t depth, StartRange& range) {
    // With an additional run of width high - low + 1, "some sum lies in the range" becomes one membership test.
    AxisStorage storage;
    std::size_t rank = 1;
    const std::int64_t width = range.high - range.low + 1;
    storage.axes[0] = {1, static_cast<std::uint64_t>(width)};
    for (std::size_t i = depth + 1; i < elements_.rank; ++i) {
      storage.axes[rank++] = {static_cast<std::uint64_t>(elements_.axes[i].stride),
                              static_cast<std::uint64_t>(elements_.axes[i].count)};
    }
    const SumWindow window{std::span(storage.axes).first(rank), 0, static_cast<std::uint64_t>(range.high) + 1, 0};
    const std::uint64_t cost = sum_set_cost(window).words;
    if (spent_ + cost > budget_.work || !within_budget(budget_, window.end, window.end / 8)) return Found::over_budget;
    spent_ += cost;
    const std::optional<BitWindow> reachable = build_sum_set(window, budget_.stop);
    if (!reachable) return Found::over_budget;
    const ElementAxis& axis = elements_.axes[depth];
    const Steps steps = steps_for(depth, range);
    StopWatch watch(budget_.stop);
    for (std::int64_t i = 0; i <= steps.most - steps.least; ++i) {
      if (!watch.go_on(1)) return Found::over_budget;
      const std::int64_t step = axis.flipped ? steps.most - i : steps.least + i;
      // range.high - step*stride = later axes' sum + (0 .. width-1)
      const auto bit = static_cast<std::uint64_t>(range.high - step * axis.stride);
      if (((reachable->words()[bit / 64] >> (bit % 64)) & 1) == 0) continue;
      number_ += axis.number_of(step);
      range = {range.low - step * axis.stride, range.high - step * axis.stride};
      return Found::yes;
    }
    return Found::no;
  }

  ElementAxes elements_;  // in C order: the first axis first
  const OverlapBudget& budget_;
  std::array<std::int64_t, kMaxRank + 1> reach_;    // the largest sum of axes i and later
  std::array<std::int64_t, kMaxRank + 1> divisor_;  // divides every sum of axes i and later; 0 after the last axis
  StartRange range_{};
  std::uint64_t number_ = 0;
  std::uint64_t nodes_left_ = 0;
  std::uint64_t spent_ = 0;
  bool exhausted_ = false;
};

}  // namespace

FirstElement search_first_element(LayoutView layout, StartRange range, const OverlapBudget& budget) {
  FirstElementSearch search(layout, range, budget);
  const ElementFound found = search.run();
  return {found, search.number(), search.spent()};
}

}  // namespace dlscope::core
