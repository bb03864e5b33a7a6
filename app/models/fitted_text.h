// Text cut in the middle so that it fits a width. Who measures is the caller's business: a font, or a test.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "app/models/format.h"

namespace dlscope::app {

// `text` when it fits `room`, else as much of its beginning and end as fits with an ellipsis between; "" when nothing does.
// measure(std::string_view) -> float. The number of measurements is logarithmic.
template <class Measure>
[[nodiscard]] std::string fit_text(std::string_view text, float room, Measure&& measure) {
  constexpr std::size_t kLeast = 3, kMost = 512;  // code points
  if (text.size() <= kMost && measure(text) <= room) return std::string(text);
  std::size_t fits = 0, too_many = std::min(text.size(), kMost) + 1;
  if (room <= 0) return {};
  for (std::size_t most = kLeast; fits + 1 < too_many; most = (fits + too_many) / 2) {
    if (most < kLeast) break;
    if (measure(shortened(text, most)) <= room)
      fits = most;
    else
      too_many = most;
    if (too_many <= kLeast) return {};
  }
  return fits < kLeast ? std::string() : shortened(text, fits);
}

}  // namespace dlscope::app
