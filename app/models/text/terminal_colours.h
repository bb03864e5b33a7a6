// The colours that programs print in, made readable on their background.
#pragma once

#include <cstdint>

namespace dlscope::app {

struct Rgb {
  float red = 0, green = 0, blue = 0;  // 0 to 1, sRGB
  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// Colour 16 to 255 of the 256 colours: a cube, then greys. (The theme defines 0 to 15.)
[[nodiscard]] Rgb indexed_colour(std::uint8_t index);
// The contrast ratio as WCAG defines it: 1 to 21.
[[nodiscard]] float contrast(const Rgb& a, const Rgb& b);
// The colour, made lighter or darker only as far as needed to be readable on `ground`.
[[nodiscard]] Rgb readable(const Rgb& colour, const Rgb& ground);

}  // namespace dlscope::app
