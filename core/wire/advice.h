// What the host's answers advise a person to do in the window. A headless run, which has no menu, takes it off again.
#pragma once

#include <string_view>

namespace dlscope::core::wire {

inline constexpr std::string_view kScanAgain = " Scan again (Run menu) to see what there is now.";

}  // namespace dlscope::core::wire
