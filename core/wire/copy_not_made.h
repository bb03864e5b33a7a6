// What a hand-over that shares the memory although a copy was asked for says first, in ProofStep::why: the host writes it, and the
// window looks for it.
#pragma once

#include <string_view>

namespace dlscope::core::wire {

inline constexpr std::string_view kCopyNotMade = "a copy was asked for (copy=True), and none was made";

}  // namespace dlscope::core::wire
