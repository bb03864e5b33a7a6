// What every search of the window says when it has found nothing: palette, find bar, bytes.
#pragma once

namespace dlscope::app {

inline constexpr const char* kNoMatches = "No matches";

}  // namespace dlscope::app
