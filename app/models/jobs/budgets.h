// How much work the UI thread may spend on one question about bytes. A layout that needs more gets the answer "unknown", which
// every view can show.
#pragma once

#include "core/sharing/overlap.h"

namespace dlscope::app {

// For questions asked several times in a frame: which element holds the byte under the mouse.
[[nodiscard]] inline core::OverlapBudget budget_per_frame() {
  core::OverlapBudget budget;
  budget.window_units = budget.scratch_bytes = 1u << 16;
  budget.work = 200'000;
  return budget;
}

// For questions asked once per click: which bytes two tensors share.
[[nodiscard]] inline core::OverlapBudget budget_per_click() {
  core::OverlapBudget budget;
  budget.window_units = budget.scratch_bytes = 1u << 20;
  budget.work = 2'000'000;
  return budget;
}

}  // namespace dlscope::app
