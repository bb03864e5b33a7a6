#include "core/sharing/contiguity.h"

namespace dlscope::core {

Contiguity contiguity_of(LayoutView layout, const OverlapBudget& budget) {
  std::optional<bool> overlaps = quick_self_overlap(layout);
  if (!overlaps) overlaps = self_overlaps(layout, budget);
  return contiguity_given(layout, overlaps);
}

}  // namespace dlscope::core
