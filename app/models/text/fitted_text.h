// Cuts text in the middle, or a number at its end, to fit a width. The caller measures: with a font, or in a test.
#pragma once

#include <algorithm>
#include <string_view>

#include "app/models/text/characters.h"
#include "app/models/text/format.h"

namespace dlscope::app {

// `text` when it fits into `room`, else as much of its beginning and end as fits with an ellipsis between; "" when nothing fits.
// measure(std::string_view) -> float; the width of a text must be at most the sum of its parts' widths. Takes a logarithmic
// number of measurements.
template <class Measure>
[[nodiscard]] CutText fit_text(std::string_view text, float room, Measure&& measure) {
  constexpr std::size_t kMin = 3, kMax = 512;  // code points
  const auto width = [&](const CutText& cut) {
    return measure(cut.front) + (cut.cut ? measure(std::string_view("…")) + measure(cut.back) : 0.0F);
  };
  if (text.size() <= kMax && measure(text) <= room) return {text, {}, false};
  if (room <= 0) return {};
  std::size_t fits = 0, too_many = std::min(text.size(), kMax) + 1;
  for (std::size_t most = kMin; fits + 1 < too_many; most = (fits + too_many) / 2) {
    if (most < kMin) break;
    if (width(cut_in_middle(text, most)) <= room)
      fits = most;
    else
      too_many = most;
    if (too_many <= kMin) return {};
  }
  return fits < kMin ? CutText{} : cut_in_middle(text, fits);
}

// A number at the right end of `room`: whole, or with an ellipsis after the digits that fit, because these alone would be another
// number.
struct FittedNumber {
  std::string_view text;
  bool cut = false;
  float left = 0;  // of the text, from the beginning of the room
};
template <class Measure>
[[nodiscard]] FittedNumber fit_number(std::string_view number, float room, Measure&& measure) {
  const float width = measure(number);
  if (width <= room) return {number, false, room - width};
  const float left = room - measure(std::string_view("…"));
  std::string_view shown = number;
  while (!shown.empty() && measure(shown) > left) {
    do shown.remove_suffix(1);
    while (!shown.empty() && !starts_character(number[shown.size()]));
  }
  return {shown, true, std::max(0.0F, left - measure(shown))};
}

}  // namespace dlscope::app
