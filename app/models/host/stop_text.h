// Where the script stands and why, in words.
#pragma once

#include <string>

#include "app/models/host/stop_view.h"

namespace dlscope::app {

// "train.py:37".
[[nodiscard]] std::string frame_place(const core::wire::StackFrame& frame);
// "breakpoint", "raised ValueError: ...".
[[nodiscard]] std::string stop_reason_text(const core::wire::Stopped& stop);
// "Stopped at train.py:37 in step(), breakpoint."; of the innermost frame of the user's code. A thread other than the main one is named.
// "Ended at train.py:37 in step(), ValueError: bad."
[[nodiscard]] std::string stop_sentence(const StopView& stop);

// Whether a function of the user's is among the frames, and not only the script's own lines.
[[nodiscard]] bool has_user_function(const core::wire::Stopped& stop);
// Of the frames that are kept: "The script ended with ValueError: bad.", "The script was interrupted."
[[nodiscard]] std::string ended_sentence(const core::wire::Stopped& ended);

}  // namespace dlscope::app
