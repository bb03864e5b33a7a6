#include "app/models/heatmap/colour_maps.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace dlscope::app {
namespace {

// Viridis, by Stéfan van der Walt and Nathaniel Smith for Matplotlib (CC0): 33 of its 256 colours.
constexpr std::array<std::uint32_t, 33> kViridis{
    0x440154, 0x470D60, 0x48186A, 0x482374, 0x472D7B, 0x453781, 0x424086, 0x3E4989, 0x3B528B, 0x375B8D, 0x33638D,
    0x2F6B8E, 0x2C728E, 0x297A8E, 0x26828E, 0x23898E, 0x21918C, 0x1F988B, 0x1FA088, 0x22A785, 0x28AE80, 0x32B67A,
    0x3FBC73, 0x4EC36B, 0x5EC962, 0x70CF57, 0x84D44B, 0x98D83E, 0xADDC30, 0xC2DF23, 0xD8E219, 0xECE51B, 0xFDE725};
// Blue and orange, distinguishable with every common colour blindness, equally far in lightness from the pale middle.
constexpr std::array<std::uint32_t, 9> kDiverging{0x08306B, 0x1F5FA5, 0x4F93CE, 0xA3C7E6, 0xF3F1EC,
                                                  0xF5C38C, 0xE3893A, 0xB95A0C, 0x6E3206};
constexpr std::array<std::uint32_t, 2> kGrey{0x0A0A0A, 0xF5F5F5};
constexpr std::array<std::uint32_t, 2> kBool{0x1B4A72, 0xF0E442};  // a dark blue, Okabe and Ito's yellow

constexpr std::array<std::uint32_t, kCategoryColours> kCategories{0x000000, 0xE69F00, 0x56B4E9, 0x009E73,
                                                                  0xF0E442, 0x0072B2, 0xD55E00, 0xCC79A7};

ColourTable one_after_another(std::span<const std::uint32_t> colours) {
  ColourTable out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t rgb = colours[i % colours.size()];
    out[i] = 0xFF000000U | (rgb & 0xFF) << 16 | (rgb & 0xFF00) | rgb >> 16;
  }
  return out;
}

// Interpolates between stops (0xRRGGBB) at equal distances.
ColourTable between(std::span<const std::uint32_t> stops) {
  ColourTable out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(out.size() - 1) * static_cast<double>(stops.size() - 1);
    const std::size_t left = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double part = at - static_cast<double>(left);
    std::uint32_t colour = 0xFF000000U;
    for (unsigned shift = 0; shift < 24; shift += 8) {
      const double a = stops[left] >> (16 - shift) & 0xFF, b = stops[left + 1] >> (16 - shift) & 0xFF;
      colour |= static_cast<std::uint32_t>(std::lround(a + (b - a) * part)) << shift;
    }
    out[i] = colour;
  }
  return out;
}

}  // namespace

const char* colour_map_name(ColourMap map) {
  static constexpr const char* kNames[] = {"viridis", "blue to orange", "grey", "categories"};
  return kNames[static_cast<std::size_t>(map)];
}

const ColourTable& colour_table(ColourMap map) {
  static const std::array<ColourTable, 4> tables{between(kViridis), between(kDiverging), between(kGrey),
                                                 one_after_another(kCategories)};
  return tables[static_cast<std::size_t>(map)];
}

std::uint32_t category_colour(double least, double greatest, std::uint32_t several) {
  constexpr double kCounted = 9'007'199'254'740'992;  // 2^53: beyond it neighbours are one double
  if (!(least == greatest && std::abs(least) < kCounted)) return several;
  const std::int64_t rest = static_cast<std::int64_t>(least) % kCategoryColours;
  return colour_table(ColourMap::categories)[static_cast<std::size_t>(rest < 0 ? rest + kCategoryColours : rest)];
}

const ColourTable& bool_table() {
  static const ColourTable table = between(kBool);
  return table;
}

const char* colour_stretch_name(ColourStretch stretch) {
  static constexpr const char* kNames[] = {"even", "asinh", "log"};
  return kNames[static_cast<std::size_t>(stretch)];
}

ColourScale::ColourScale(double low, double high, ColourStretch stretch) : low_(low), high_(high), stretch_(stretch) {
  unit_ = std::max(std::abs(low), std::abs(high)) / 1000;
  if (stretch_ == ColourStretch::logarithmic) unit_ = low > 0 ? low : high > 0 ? high * 1e-6 : 0;
  if (!(unit_ > 0)) stretch_ = ColourStretch::linear;
  from_ = stretched(low_);
  length_ = stretched(high_) - from_;
}

// Halved, because the distance of two doubles may exceed the largest double.
double ColourScale::stretched(double value) const {
  if (stretch_ == ColourStretch::logarithmic) return std::log(std::max(value, unit_));
  return stretch_ == ColourStretch::asinh ? std::asinh(value / unit_) : value / 2;
}

double ColourScale::part_of(double value) const {
  if (!(length_ > 0)) return 0.5;
  return std::clamp((stretched(value) - from_) / length_, 0.0, 1.0);
}

double ColourScale::value_at(double part) const {
  const double at = from_ + length_ * part;
  if (stretch_ == ColourStretch::logarithmic) return std::exp(at);
  return stretch_ == ColourStretch::asinh ? std::sinh(at) * unit_ : at * 2;
}

std::uint32_t ColourScale::colour(const ColourTable& table, double value) const {
  const double part = part_of(value);
  return table[part >= 0 ? static_cast<std::size_t>(part * 255 + 0.5) : 0];  // NaN, from a broken host
}

std::uint32_t ColourScale::colour_apart_from_0(const ColourTable& table, double value, double least) const {
  const double zero = part_of(0), part = part_of(value);
  const double apart = value < 0 ? std::min(part, zero - least) : std::max(part, zero + least);
  return table[static_cast<std::size_t>(std::clamp(apart, 0.0, 1.0) * 255 + 0.5)];
}

}  // namespace dlscope::app
