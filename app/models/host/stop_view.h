// StopView: a stop inside the user's code, or the kept frames of the exception that ended it, with the frame that was chosen
// there.
#pragma once

#include <cstdint>

#include "core/wire/debugging.h"

namespace dlscope::app {

struct StopView {
  core::wire::Stopped at;
  std::uint32_t frame = 0;  // index into at.frames; the console uses its names
  // Rises with everything that may change the value of an expression: another stop or frame, a console line, a requested scan.
  std::uint64_t revision = 0;
  std::uint64_t place = 0;  // the revision at which this stop and frame were chosen

  // null: the host named no frame.
  [[nodiscard]] const core::wire::StackFrame* chosen() const { return frame < at.frames.size() ? &at.frames[frame] : nullptr; }
};

}  // namespace dlscope::app
