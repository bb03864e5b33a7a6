// The lowest descriptor number for files that dlscope keeps open in the script's process: scripts that close the first few hundred
// descriptors, or count on their numbers, do not meet it.
#pragma once

namespace dlscope::core {

inline constexpr int kFirstKeptNumber = 900;

}  // namespace dlscope::core
