// How often the bytes of a tensor that repeats or overlaps itself are reached, in one sentence.
#pragma once

#include <span>
#include <string>

#include "app/models/layout/touch_counts.h"
#include "core/sharing/touch_count.h"

namespace dlscope::app {

// "8 B are reached once and 16 B twice." or "Each of its bytes is reached 4 times."; "" for no counts.
[[nodiscard]] std::string touch_sentence(std::span<const core::TouchedBytes> counts);
// The same for a view; "": counting takes more than a few milliseconds.
[[nodiscard]] std::string touch_sentence(const core::MemoryView& view);
// The same for what a task has counted, or else how far it is: "How often each byte is reached is being counted …".
[[nodiscard]] std::string touch_sentence(const TouchAnswer& answer);

}  // namespace dlscope::app
