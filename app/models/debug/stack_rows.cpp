#include "app/models/debug/stack_rows.h"

#include <algorithm>

namespace dlscope::app {

std::vector<StackRow> stack_rows(const StopView& stop, bool unfold) {
  const auto& frames = stop.at.frames;
  std::vector<StackRow> rows;
  const bool has_user = std::ranges::any_of(frames, &core::wire::StackFrame::user);
  for (std::uint32_t i = 0; i < frames.size();) {
    std::uint32_t end = i;
    while (end < frames.size() && !frames[end].user && (end == i || frames[end].heading.empty())) ++end;
    const bool folds = !unfold && has_user && end - i > 1 && (stop.frame < i || stop.frame >= end);
    if (folds) {
      rows.push_back({i, end - i});
      i = end;
    } else {
      rows.push_back({i, 1});
      ++i;
      // Frames folded with the chosen one are shown one by one, too.
      for (; i < end; ++i) rows.push_back({i, 1});
    }
  }
  return rows;
}

}  // namespace dlscope::app
