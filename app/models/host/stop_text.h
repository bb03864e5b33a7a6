// Where the script stands and why, as text.
#pragma once

#include <string>

#include "app/models/host/stop_view.h"

namespace dlscope::app {

// "train.py:37".
[[nodiscard]] std::string frame_place(const core::wire::StackFrame& frame);
// "breakpoint", "raised ValueError: ...".
[[nodiscard]] std::string stop_reason_text(const core::wire::Stopped& stop);
// "Stopped at train.py:37 in step(), breakpoint.", "Ended at train.py:37 in step(), ValueError: bad." The place is that of the
// innermost frame of the user's code. A thread other than the main one is named.
[[nodiscard]] std::string stop_sentence(const StopView& stop);

// Whether a user function is among the frames, and not only the script's top level.
[[nodiscard]] bool has_user_function(const core::wire::Stopped& stop);
// For the kept frames: "The script ended with ValueError: bad.", "The script was interrupted."
[[nodiscard]] std::string ended_sentence(const core::wire::Stopped& ended);

}  // namespace dlscope::app
