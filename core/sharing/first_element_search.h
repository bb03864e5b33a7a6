// Finds the lowest C-order index among the elements that start in a range, for any layout: a depth-first search from the first
// axis on; if that takes too long, bit sets of the sums that the remaining axes can make.
#pragma once

#include <cstdint>

#include "core/sharing/element_axes.h"
#include "core/sharing/overlap.h"

namespace dlscope::core {

enum class ElementFound : std::uint8_t { yes, no, over_budget };

struct FirstElement {
  ElementFound found = ElementFound::no;
  std::uint64_t number = 0;  // the C-order index, if found
  std::uint64_t spent = 0;   // in the unit of OverlapBudget::work
};

// The layout must have elements. over_budget: or stopped. thread: any.
[[nodiscard]] FirstElement search_first_element(LayoutView layout, StartRange range, const OverlapBudget& budget);

}  // namespace dlscope::core
