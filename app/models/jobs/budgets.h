// How much work the UI thread may spend on one question about bytes. A layout that needs more is answered with "unknown",
// which every view can say.
#pragma once

#include "core/sharing/overlap.h"

namespace dlscope::app {

// Asked with a frame, several times: which element holds the byte under the mouse.
[[nodiscard]] inline core::OverlapBudget budget_per_frame() {
  core::OverlapBudget budget;
  budget.window_bytes = budget.scratch_bytes = 1u << 16;
  budget.work = 200'000;
  return budget;
}

// Asked once, for a click: what two tensors have in common.
[[nodiscard]] inline core::OverlapBudget budget_per_click() {
  core::OverlapBudget budget;
  budget.window_bytes = budget.scratch_bytes = 1u << 20;
  budget.work = 2'000'000;
  return budget;
}

}  // namespace dlscope::app
