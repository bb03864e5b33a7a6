// Scrolls by whole rows, with 64-bit row numbers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dlscope::app {

// Moves the first visible row (or column) so that `at` is among the `seen` visible ones: as little as needed when it is near, to
// the middle when it is far. last: the largest allowed value of `first`.
inline void bring_into_view(std::uint64_t at, std::uint64_t& first, std::uint64_t seen, std::uint64_t last) {
  const bool near = at + 1 + seen >= first && at <= first + seen + seen;
  if (at < first)
    first = near ? at : at - std::min(at, seen / 2);
  else if (at >= first + seen)
    first = near ? at - seen + 1 : at - seen / 2;
  first = std::min(first, last);
}

}  // namespace dlscope::app
