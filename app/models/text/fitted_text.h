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

// The exponent of a number, from its "e" on: "e-300" of "1.5e-300". "": it has none, or is no single number.
[[nodiscard]] inline std::string_view exponent_of(std::string_view number) {
  const std::size_t at = number.find('e');
  const bool plain = at != std::string_view::npos && at > 0 && number.find_first_not_of("+-.0123456789") == at &&
                     number.find_first_not_of("+-0123456789", at + 1) == std::string_view::npos;
  return plain ? number.substr(at) : std::string_view();
}

// A number at the right end of `room`: whole, or with an ellipsis after the digits that fit, because these alone would be another
// number. Behind the ellipsis stands its exponent where that has room with a digit, or nothing is written: "1.5…" would be another number.
struct FittedNumber {
  std::string_view text, exponent = {};
  bool cut = false;
  float left = 0;  // of the text, from the beginning of the room
};
template <class Measure>
[[nodiscard]] FittedNumber fit_number(std::string_view number, float room, Measure&& measure) {
  const float width = measure(number);
  if (width <= room) return {number, {}, false, room - width};
  std::string_view exponent = exponent_of(number);
  const auto left_for_digits = [&] { return room - measure(std::string_view("…")) - measure(exponent); };
  const std::size_t fewest = std::min<std::size_t>(number.find_first_of("0123456789") + 1, number.size());
  if (!exponent.empty() && measure(number.substr(0, fewest)) > left_for_digits()) return {{}, {}, true, 0};
  const float left = left_for_digits();
  std::string_view shown = number.substr(0, number.size() - exponent.size());
  while (!shown.empty() && measure(shown) > left) {
    do shown.remove_suffix(1);
    while (!shown.empty() && !starts_character(number[shown.size()]));
  }
  return {shown, exponent, true, std::max(0.0F, left - measure(shown))};
}

}  // namespace dlscope::app
