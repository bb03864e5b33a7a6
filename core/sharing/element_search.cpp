// element_at(): the lowest C-order index among the elements that contain a byte. Closed
// form if the axes nest (every usual layout). Otherwise a depth-first search from the first
// axis on; if that takes too long, bit sets of the sums that the remaining axes can make.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/base/checked_math.h"
#include "core/sharing/byte_set.h"
#include "core/sharing/costs.h"
#include "core/sharing/hard_overlap.h"
#include "core/sharing/joint_window.h"
#include "core/sharing/overlap.h"
#include "core/sharing/prepared_set.h"
#include "core/sharing/stop_watch.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kFirstNodes = 64;
constexpr std::uint64_t kSearchNodes = std::uint64_t{1} << 20;

struct ElementAxis {
  std::int64_t stride;  // bits, made positive
  std::int64_t count;
  std::uint64_t weight;  // what one index step adds to the C-order index
  bool flipped;          // the stride was negative: steps are counted from the last index

  std::uint64_t number_of(std::int64_t steps) const {
    return weight * static_cast<std::uint64_t>(flipped ? count - 1 - steps : steps);
  }
};

// The axes that affect the address, the last (innermost in C order)
// first. On an axis of size 1 or stride 0 the lowest index is 0.
struct ElementAxes {
  std::array<ElementAxis, kMaxRank> axes;
  std::size_t rank = 0;
  std::int64_t lowest = 0;  // bits from element [0,...,0] to the lowest element
  bool c_order = true;      // dense in C order: an element's index follows from its offset by one division
};

// False when the view has no elements.
bool collect(LayoutView layout, ElementAxes& out) {
  std::uint64_t weight = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const std::int64_t count = layout.shape[d];
    const std::int64_t stride = layout.stride_bits[d];
    if (count == 0) return false;
    if (count > 1 && stride != 0) {
      if (stride < 0) out.lowest += stride * (count - 1);
      ElementAxis& axis = out.axes[out.rank++];
      axis.stride = stride < 0 ? -stride : stride;
      axis.count = count;
      axis.weight = weight;
      axis.flipped = stride < 0;
      out.c_order &= static_cast<std::uint64_t>(stride) == weight * layout.item_bits;
    }
    out.c_order &= count == 1 || stride != 0;  // a broadcast axis multiplies elements, but not bytes
    weight *= static_cast<std::uint64_t>(count);
  }
  return true;
}

// A range [low, high] of element starts, in bits from the lowest element.
struct StartRange {
  std::int64_t low;
  std::int64_t high;
};

// For elements that do not overlap and whose axes nest: each start
// belongs to one index, found axis by axis like the digits of a number.
class NestedElements {
 public:
  // Sorts the axes in place by stride; those of usual arrays are sorted already.
  NestedElements(ElementAxes& elements, std::int64_t item_bits)
      : axes_(elements.axes), rank_(elements.rank), item_bits_(item_bits) {
    std::int64_t span = item_bits;
    for (std::size_t i = 0; i < rank_; ++i) {
      for (std::size_t at = i; at > 0 && axes_[at - 1].stride > axes_[at].stride; --at) std::swap(axes_[at - 1], axes_[at]);
    }
    for (std::size_t i = 0; i < rank_; ++i) {
      valid_ &= axes_[i].stride >= span;
      reach_[i] = span - item_bits;
      span += axes_[i].stride * (axes_[i].count - 1);
    }
    reach_[rank_] = span - item_bits;
  }

  bool valid() const { return valid_; }

  bool lowest_number(StartRange range, std::uint64_t& best) const {
    // A byte touches at most eight elements if they do not overlap, so there are few starts.
    const std::int64_t last = std::min(range.high, reach_[rank_]);
    std::int64_t from = std::max<std::int64_t>(range.low, 0);
    if (from > last) return false;
    std::int64_t start = next_start(from, best);
    if (start > range.high) return false;
    while ((from = start + item_bits_) <= last) {  // the next element begins there at the earliest
      std::uint64_t number = 0;
      start = next_start(from, number);
      if (start <= range.high) best = std::min(best, number);
    }
    return true;
  }

 private:
  // The lowest start >= from, and the C-order index of its element. `from` must be at most the highest start.
  std::int64_t next_start(std::int64_t from, std::uint64_t& number) const {
    std::int64_t start = 0;
    number = 0;
    for (std::size_t i = rank_; i-- > 0;) {
      const ElementAxis& axis = axes_[i];
      std::int64_t steps = from < axis.stride ? 0 : from / axis.stride;
      from -= steps * axis.stride;
      if (from > reach_[i]) {  // in the gap after this copy: take the first element of the next one
        ++steps;
        from = 0;
      }
      start += steps * axis.stride;
      number += axis.number_of(steps);
    }
    return start + from;
  }

  std::array<ElementAxis, kMaxRank>& axes_;
  std::array<std::int64_t, kMaxRank + 1> reach_;  // the highest start that the axes below i can make
  std::size_t rank_;
  std::int64_t item_bits_;
  bool valid_ = true;
};

// For any layout: finds the lowest index of the first axis that the
// other axes can complete to a hit, then that of the second, and so on.
class FirstElementSearch {
 public:
  FirstElementSearch(LayoutView layout, StartRange range, const OverlapBudget& budget) : budget_(budget) {
    ElementAxes elements;
    collect(layout, elements);
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

  enum class Found : std::uint8_t { yes, no, over_budget };

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

// Computes the range in which an element that contains the byte must start. False: the byte is outside the view.
bool starts_around(const MemoryView& view, Address address, const ElementAxes& elements, StartRange& range) {
  if (!view.extent.contains(address)) return false;
  const std::int64_t lowest_byte = floor_div(elements.lowest, 8);
  // The byte's first bit, counted from the first bit of the lowest element.
  const std::int64_t bit = static_cast<std::int64_t>(address - view.address - static_cast<std::uint64_t>(lowest_byte)) * 8 -
                           (elements.lowest - lowest_byte * 8);
  range = {bit - std::int64_t{view.layout.item_bits} + 1, bit + 7};
  return true;
}

FirstElementSearch::Found find(const MemoryView& view, Address address, const OverlapBudget& budget, std::uint64_t& number,
                               std::uint64_t& spent) {
  using Found = FirstElementSearch::Found;
  ElementAxes elements;
  StartRange range{};
  if (!collect(view.layout, elements) || !starts_around(view, address, elements, range)) return Found::no;
  if (elements.c_order) {  // one division suffices, whatever the rank
    number = static_cast<std::uint64_t>(range.high - 7) / view.layout.item_bits;
    return Found::yes;
  }
  const NestedElements nested(elements, view.layout.item_bits);
  if (nested.valid()) return nested.lowest_number(range, number) ? Found::yes : Found::no;
  FirstElementSearch search(view.layout, range, budget);
  const Found found = search.run();
  number = search.number();
  spent += search.spent();
  return found;
}

}  // namespace

bool find_element(const MemoryView& view, Address address, const OverlapBudget& budget, std::uint64_t& number,
                  std::uint64_t& spent) {
  return find(view, address, budget, number, spent) == FirstElementSearch::Found::yes;
}

ElementAnswer find_element_at(const MemoryView& view, Address address, const OverlapBudget& budget) {
  std::uint64_t number = 0;
  std::uint64_t spent = 0;
  const FirstElementSearch::Found found = find(view, address, budget, number, spent);
  if (found == FirstElementSearch::Found::yes) return {.number = number};
  return {.number = std::nullopt, .decided = found == FirstElementSearch::Found::no};
}

std::optional<std::uint64_t> element_by_search(const MemoryView& view, Address address, const OverlapBudget& budget) {
  ElementAxes elements;
  StartRange range{};
  if (!collect(view.layout, elements) || !starts_around(view, address, elements, range)) return std::nullopt;
  FirstElementSearch search(view.layout, range, budget);
  if (search.run() != FirstElementSearch::Found::yes) return std::nullopt;
  return search.number();
}

std::optional<std::uint64_t> element_at(const MemoryView& view, Address address, const OverlapBudget& budget) {
  return find_element_at(view, address, budget).number;
}

}  // namespace dlscope::core
