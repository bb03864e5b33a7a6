// The colour maps of the heat map, and how numbers become colours. Colours are 0xAABBGGRR, as Dear ImGui packs them. No I/O.
#pragma once

#include <array>
#include <cstdint>

namespace dlscope::app {

enum class ColourMap : std::uint8_t {
  viridis,    // lightness rises evenly from dark to light: readable without colour vision and in grey
  diverging,  // blue, pale, orange: below and above the middle
  grey,
  categories,  // integers that are names of things: each value has a colour of its own, as far as the colours go
  count
};
[[nodiscard]] const char* colour_map_name(ColourMap map);
using ColourTable = std::array<std::uint32_t, 256>;
[[nodiscard]] const ColourTable& colour_table(ColourMap map);

// Categories with a colour of their own: a value has the colour of its remainder. Okabe and Ito's, told apart with every common colour
// blindness, without the grey that stands for several categories.
inline constexpr std::int64_t kCategoryColours = 8;
// Of a texel whose values lie between these; `several`: they are not all one value, or so large that a double does not tell them apart.
[[nodiscard]] std::uint32_t category_colour(double least, double greatest, std::uint32_t several);

// For bools: the two ends are two distinct colours, not less and more. Shares of True lie between.
[[nodiscard]] const ColourTable& bool_table();

enum class ColourStretch : std::uint8_t { linear, asinh, logarithmic, count };
[[nodiscard]] const char* colour_stretch_name(ColourStretch stretch);

// Maps numbers from low to high to positions in a table. If low == high, that number gets the middle. A logarithmic scale begins
// at the lower end, or at a millionth of the upper one if that is not positive; if neither is positive, the scale is linear.
class ColourScale {
 public:
  ColourScale() = default;
  ColourScale(double low, double high, ColourStretch stretch = ColourStretch::linear);
  // 0 to 1; numbers outside get the nearer end.
  [[nodiscard]] double part_of(double value) const;
  [[nodiscard]] double value_at(double part) const;
  [[nodiscard]] std::uint32_t colour(const ColourTable& table, double value) const;
  // As above, but at least `least` of the table away from the colour of 0, so that small numbers differ visibly from 0.
  [[nodiscard]] std::uint32_t colour_apart_from_0(const ColourTable& table, double value, double least) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] ColourStretch stretch() const { return stretch_; }  // the effective one, which may differ from the requested one
  friend bool operator==(const ColourScale&, const ColourScale&) = default;

 private:
  [[nodiscard]] double stretched(double value) const;
  double low_ = 0, high_ = 1;
  ColourStretch stretch_ = ColourStretch::linear;
  double unit_ = 1;               // asinh: nearly linear below this; logarithmic: where it begins
  double from_ = 0, length_ = 1;  // after stretched()
};

}  // namespace dlscope::app
