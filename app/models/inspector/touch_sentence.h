// How often the bytes of a tensor that repeats or overlaps itself are reached, in one sentence.
#pragma once

#include <string>

#include "core/sharing/overlap.h"

namespace dlscope::app {

// "8 B are reached once and 16 B twice." or "Each is reached 4 times.". "": counting takes more than a millisecond or two.
[[nodiscard]] std::string touch_sentence(const core::MemoryView& view);

}  // namespace dlscope::app
