#include "app/models/text/terminal_colours.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {
namespace {

constexpr float kMinContrast = 4.5F;

float luminance(const Rgb& c) {
  const auto linear = [](float v) { return v <= 0.04045F ? v / 12.92F : std::pow((v + 0.055F) / 1.055F, 2.4F); };
  return 0.2126F * linear(c.red) + 0.7152F * linear(c.green) + 0.0722F * linear(c.blue);
}

Rgb mixed(const Rgb& a, const Rgb& b, float part) {
  return {a.red + (b.red - a.red) * part, a.green + (b.green - a.green) * part, a.blue + (b.blue - a.blue) * part};
}

}  // namespace

Rgb indexed_colour(std::uint8_t index) {
  if (index >= 232) {
    const float grey = static_cast<float>(8 + (index - 232) * 10) / 255.0F;
    return {grey, grey, grey};
  }
  const int cube = std::max(static_cast<int>(index) - 16, 0);
  const auto level = [](int step) { return static_cast<float>(step == 0 ? 0 : 55 + step * 40) / 255.0F; };
  return {level(cube / 36), level(cube / 6 % 6), level(cube % 6)};
}

float contrast(const Rgb& a, const Rgb& b) {
  const float x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05F) / (std::min(x, y) + 0.05F);
}

Rgb readable(const Rgb& colour, const Rgb& ground) {
  if (contrast(colour, ground) >= kMinContrast) return colour;
  const Rgb white{1, 1, 1}, black{0, 0, 0};
  const Rgb end = contrast(white, ground) > contrast(black, ground) ? white : black;
  for (int step = 1; step < 20; ++step) {
    const Rgb now = mixed(colour, end, static_cast<float>(step) / 20.0F);
    if (contrast(now, ground) >= kMinContrast) return now;
  }
  return end;
}

}  // namespace dlscope::app
