// The rows of a stack as they are shown: the user's frames one by one, frames of libraries that follow one another folded into one row.
#pragma once

#include <cstdint>
#include <vector>

#include "app/models/host/stop_view.h"

namespace dlscope::app {

struct StackRow {
  std::uint32_t frame = 0;  // the first, of StopView::at.frames
  std::uint32_t count = 1;  // more than 1: folded
};

// unfold: show every frame. A chosen frame is always shown, with those beside it.
[[nodiscard]] std::vector<StackRow> stack_rows(const StopView& stop, bool unfold);

}  // namespace dlscope::app
