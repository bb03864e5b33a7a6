// The contiguity of a view (docs/report.md defines the words). Here and not in core/tensor, because in unusual cases
// "overlapping" needs the search of overlap.h. thread: any.
#pragma once

#include "core/sharing/overlap.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// Exact. `layout` must have passed check_layout(). `unknown` only if the search for self-overlap, which usual layouts do not
// need, was over budget or stopped.
[[nodiscard]] Contiguity contiguity_of(LayoutView layout, const OverlapBudget& budget = {});

}  // namespace dlscope::core
