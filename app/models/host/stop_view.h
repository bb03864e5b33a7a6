// StopView: a moment inside the user's code at which it stands still, or the frames of the exception that ended it; and the frame
// that was chosen there.
#pragma once

#include <cstdint>

#include "core/wire/debugging.h"

namespace dlscope::app {

struct StopView {
  core::wire::Stopped at;
  std::uint32_t frame = 0;  // of at.frames: whose names the console sees
  // Rises with all that may have changed what expressions give: another stop or frame, a line at the console.
  std::uint64_t revision = 0;

  // null: the host named no frame.
  [[nodiscard]] const core::wire::StackFrame* chosen() const { return frame < at.frames.size() ? &at.frames[frame] : nullptr; }
};

}  // namespace dlscope::app
