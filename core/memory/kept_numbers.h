// The number from which on the files have theirs that are kept open in a process of the script's: one that scripts which close the
// first few hundred descriptors, or count on their numbers, do not meet.
#pragma once

namespace dlscope::core {

inline constexpr int kFirstKeptNumber = 900;

}  // namespace dlscope::core
