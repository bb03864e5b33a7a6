// element_at(): the lowest C-order index among the elements that contain a byte. Closed form if the axes nest (every usual
// layout); otherwise a search (first_element_search.h).
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/base/checked_math.h"
#include "core/sharing/element_axes.h"
#include "core/sharing/first_element_search.h"
#include "core/sharing/hard_overlap.h"
#include "core/sharing/overlap.h"
#include "core/sharing/prepared_set.h"

namespace dlscope::core {
namespace {

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

ElementFound find(const MemoryView& view, Address address, const OverlapBudget& budget, std::uint64_t& number,
                  std::uint64_t& spent) {
  using Found = ElementFound;
  ElementAxes elements;
  StartRange range{};
  if (!collect_axes(view.layout, elements) || !starts_around(view, address, elements, range)) return Found::no;
  if (elements.c_order) {  // one division suffices, whatever the rank
    number = static_cast<std::uint64_t>(range.high - 7) / view.layout.item_bits;
    return Found::yes;
  }
  const NestedElements nested(elements, view.layout.item_bits);
  if (nested.valid()) return nested.lowest_number(range, number) ? Found::yes : Found::no;
  const FirstElement first = search_first_element(view.layout, range, budget);
  number = first.number;
  spent += first.spent;
  return first.found;
}

}  // namespace

bool find_element(const MemoryView& view, Address address, const OverlapBudget& budget, std::uint64_t& number,
                  std::uint64_t& spent) {
  return find(view, address, budget, number, spent) == ElementFound::yes;
}

ElementAnswer find_element_at(const MemoryView& view, Address address, const OverlapBudget& budget) {
  std::uint64_t number = 0;
  std::uint64_t spent = 0;
  const ElementFound found = find(view, address, budget, number, spent);
  if (found == ElementFound::yes) return {.number = number};
  return {.number = std::nullopt, .decided = found == ElementFound::no};
}

std::optional<std::uint64_t> element_by_search(const MemoryView& view, Address address, const OverlapBudget& budget) {
  ElementAxes elements;
  StartRange range{};
  if (!collect_axes(view.layout, elements) || !starts_around(view, address, elements, range)) return std::nullopt;
  const FirstElement first = search_first_element(view.layout, range, budget);
  if (first.found != ElementFound::yes) return std::nullopt;
  return first.number;
}

std::optional<std::uint64_t> element_at(const MemoryView& view, Address address, const OverlapBudget& budget) {
  return find_element_at(view, address, budget).number;
}

}  // namespace dlscope::core
