// The rows of a shown stack: user frames one by one, consecutive library frames folded into one row.
#pragma once

#include <cstdint>
#include <vector>

#include "app/models/host/stop_view.h"

namespace dlscope::app {

struct StackRow {
  std::uint32_t frame = 0;  // the first, of StopView::at.frames
  std::uint32_t count = 1;  // more than 1: folded
};

// unfold: show every frame. A chosen frame is always shown, and so are the frames folded with it.
[[nodiscard]] std::vector<StackRow> stack_rows(const StopView& stop, bool unfold);

}  // namespace dlscope::app
