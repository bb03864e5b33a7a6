#include "app/models/layout/element_hits.h"

#include <algorithm>
#include <limits>

#include "core/base/checked_math.h"

namespace dlscope::app {
namespace {

std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

}  // namespace

struct ElementHits::Search {
  std::uint64_t& steps;
  std::uint64_t count = 0;
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  bool gave_up = false;

  void found(std::uint64_t elements, std::uint64_t number) {
    count = saturating_add(count, elements);
    lowest = std::min(lowest, number);
  }
};

ElementHits::ElementHits(core::LayoutView layout, const core::LayoutBounds& bounds)
    : lowest_(bounds.lowest_bit), highest_(bounds.highest_bit), item_bits_(layout.item_bits), empty_(bounds.elements == 0) {
  if (empty_) return;
  std::uint64_t weight = 1;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const std::int64_t count = layout.shape[d], stride = layout.stride_bits[d];
    if (count > 1 && stride == 0) repeats_ = saturating_mul(repeats_, static_cast<std::uint64_t>(count));
    if (count > 1 && stride != 0) axes_[rank_++] = {stride < 0 ? -stride : stride, count, weight, stride < 0};
    weight *= static_cast<std::uint64_t>(count);
  }
  std::stable_sort(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(rank_),
                   [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
  elements_[rank_] = 1;
  for (std::size_t i = rank_; i-- > 0;) {
    reach_[i] = reach_[i + 1] + axes_[i].stride * (axes_[i].count - 1);
    elements_[i] = elements_[i + 1] * static_cast<std::uint64_t>(axes_[i].count);
  }
}

Hits ElementHits::touching(std::int64_t begin, std::int64_t end, std::uint64_t& steps) const {
  begin = std::max(begin, lowest_);
  end = std::min(end, highest_);
  if (empty_ || begin >= end) return {};
  Search search{steps};
  // In bits from the lowest start: an element touches the range when it starts in (begin - item, end).
  walk(search, 0, begin - lowest_ - item_bits_ + 1, end - lowest_ - 1, 0);
  Hits hits;
  if (search.count > 0) hits.element = search.lowest;
  hits.count = search.gave_up ? std::nullopt : std::optional(saturating_mul(search.count, repeats_));
  return hits;
}

// Indices count along increasing addresses, so on a backwards axis the last one has the lowest C-order number.
std::uint64_t ElementHits::lowest_number(const Axis& axis, std::int64_t first, std::int64_t last) {
  return axis.weight * static_cast<std::uint64_t>(axis.backwards ? axis.count - 1 - last : first);
}

// Counts elements whose start, composed of the axes from `depth` on, is in [low, high].
void ElementHits::walk(Search& search, std::size_t depth, std::int64_t low, std::int64_t high, std::uint64_t number) const {
  if (high < 0 || low > reach_[depth]) return;
  if (search.steps == 0) {
    search.gave_up = true;
    return;
  }
  --search.steps;
  if (low <= 0 && high >= reach_[depth]) {  // all of them
    search.found(elements_[depth], number);
    return;
  }
  const Axis& axis = axes_[depth];
  const std::int64_t inner = reach_[depth + 1];
  const std::int64_t first = std::max<std::int64_t>(0, core::ceil_div(low - inner, axis.stride));
  const std::int64_t last = std::min(axis.count - 1, core::floor_div(high, axis.stride));
  if (last < first) return;
  // Indices whose inner axes lie completely within the range are counted at once.
  const std::int64_t whole_first = std::max<std::int64_t>(first, core::ceil_div(low, axis.stride));
  const std::int64_t whole_last = high < inner ? -1 : std::min(last, core::floor_div(high - inner, axis.stride));
  const bool any_whole = whole_first <= whole_last;
  if (any_whole) {
    search.found(saturating_mul(elements_[depth + 1], static_cast<std::uint64_t>(whole_last - whole_first + 1)),
                 number + lowest_number(axis, whole_first, whole_last));
  }
  for (std::int64_t i = first; i <= last && !search.gave_up; ++i) {
    if (any_whole && i == whole_first) {
      i = whole_last;
      continue;
    }
    walk(search, depth + 1, low - i * axis.stride, high - i * axis.stride, number + lowest_number(axis, i, i));
  }
}

}  // namespace dlscope::app
