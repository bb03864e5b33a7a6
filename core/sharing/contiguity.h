// The one word for how a view lies in memory (design.md section 3). Here and not in core/tensor, because in the odd case
// "overlapping" needs the search of overlap.h.
#pragma once

#include "core/sharing/overlap.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// Exact. `layout` passed check_layout(). `unknown` only when the search for self-overlap was over budget or cancelled,
// which the usual layouts never need.
[[nodiscard]] Contiguity contiguity_of(LayoutView layout, const OverlapBudget& budget = {});

}  // namespace dlscope::core
