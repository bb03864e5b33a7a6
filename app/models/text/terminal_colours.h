// The colours programs print in, made readable on the ground they stand on.
#pragma once

#include <cstdint>

namespace dlscope::app {

struct Rgb {
  float red = 0, green = 0, blue = 0;  // 0 to 1, as on the screen
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// Number 16 to 255 of the 256 colours: a cube, then greys. (0 to 15 are the theme's.)
[[nodiscard]] Rgb indexed_colour(std::uint8_t index);
// As WCAG defines it: 1 to 21.
[[nodiscard]] float contrast(const Rgb& a, const Rgb& b);
// The colour, or as little lighter or darker as it takes to be read on `ground`.
[[nodiscard]] Rgb readable(const Rgb& colour, const Rgb& ground);

}  // namespace dlscope::app
