// The colour maps of the heat map, and which number has which colour. Pure: colours are 0xAABBGGRR, as Dear ImGui packs them.
#pragma once

#include <array>
#include <cstdint>

namespace dlscope::app {

enum class ColourMap : std::uint8_t {
  viridis,    // lightness rises evenly from dark to light: also without colour vision, and in grey
  diverging,  // blue, pale, orange: below and above the middle
  grey,
  count
};
[[nodiscard]] const char* colour_map_name(ColourMap map);
using ColourTable = std::array<std::uint32_t, 256>;
[[nodiscard]] const ColourTable& colour_table(ColourMap map);

// Two kinds, not less and more: what a bool is drawn with. Shares of True lie between.
[[nodiscard]] const ColourTable& bool_table();

enum class ColourStretch : std::uint8_t { linear, asinh, logarithmic, count };
[[nodiscard]] const char* colour_stretch_name(ColourStretch stretch);

// Numbers from low to high become places of a table. Where they are one number, that one stands in the middle. A logarithm begins at the
// lower end, or at a millionth of the upper one where that is no positive number; without a positive end numbers are spread evenly.
class ColourScale {
 public:
  ColourScale() = default;
  ColourScale(double low, double high, ColourStretch stretch = ColourStretch::linear);
  // 0 to 1; what lies outside is drawn as the nearer end.
  [[nodiscard]] double part_of(double value) const;
  [[nodiscard]] double value_at(double part) const;
  [[nodiscard]] std::uint32_t colour(const ColourTable& table, double value) const;
  // As above, but at least `least` of the table away from the colour of 0: a number that is not 0 is told from one that is.
  [[nodiscard]] std::uint32_t colour_apart_from_0(const ColourTable& table, double value, double least) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] ColourStretch stretch() const { return stretch_; }  // what became of the one that was asked for
  friend bool operator==(const ColourScale&, const ColourScale&) = default;

 private:
  [[nodiscard]] double stretched(double value) const;
  double low_ = 0, high_ = 1;
  ColourStretch stretch_ = ColourStretch::linear;
  double unit_ = 1;               // asinh: numbers smaller than this have an even scale; logarithm: where it begins
  double from_ = 0, length_ = 1;  // stretched
};

}  // namespace dlscope::app
