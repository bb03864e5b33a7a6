#include "app/models/heatmap/heatmap_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/models/heatmap/heatmap_axes.h"
#include "app/models/heatmap/reversed_axes.h"

namespace dlscope::app {
namespace {

constexpr int kCheckSide = 8;  // pixels

// 0 to 255. For an empty range: white from `from` on.
std::uint32_t shade(double value, double from, double to) {
  if (!(to > from)) return value >= from ? 255 : 0;
  const double part = (value / 2 - from / 2) / (to / 2 - from / 2);  // halved: the difference of two doubles may overflow
  return part > 0 ? static_cast<std::uint32_t>(std::lround(std::min(part, 1.0) * 255)) : 0;
}

bool is_unsigned(core::DType dtype) { return static_cast<core::DTypeCode>(dtype.code) == core::DTypeCode::uint; }

}  // namespace

std::string why_no_image(core::DType dtype) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  if (code == core::DTypeCode::bool_) return "True and False cannot be drawn as brightness. The heat map has a colour for each.";
  if (code == core::DTypeCode::complex)
    return "A complex number cannot be drawn as brightness. The heat map shows its magnitude.";
  if (dtype.lanes > 1)
    return fmt::format("Each element is a vector of {} numbers. The heat map shows one number made from them.", dtype.lanes);
  return {};
}

std::vector<std::uint8_t> possible_channels(std::span<const std::int64_t> shape, core::DType dtype) {
  std::vector<std::uint8_t> out;
  if (shape.size() < 3) return out;
  const auto colours = [&](std::size_t axis) {
    if (shape[axis] == 3 || shape[axis] == 4) out.push_back(static_cast<std::uint8_t>(axis));
  };
  const std::size_t last = shape.size() - 1;
  colours(last);
  colours(last - 2);
  colours(last - 1);
  for (std::size_t axis = last - 2; axis-- > 0;) colours(axis);
  if (shape[last] == 2 && is_unsigned(dtype) && dtype.bits <= 16) out.push_back(static_cast<std::uint8_t>(last));
  return out;
}

void set_channels(std::span<const std::int64_t> shape, std::uint8_t axis, core::CellAxes& axes) {
  const std::vector<std::int64_t> at = axes.at;
  axes = default_cell_axes(shape.size());
  axes.at = at;
  axes.at[axis] = 0;  // so that the table is the same whatever index was set there
  axes.down.clear();
  axes.across.clear();
  for (std::size_t d = shape.size(); d-- > 0 && axes.down.empty();) {
    if (d != axis) (axes.across.empty() ? axes.across : axes.down).push_back(static_cast<std::uint8_t>(d));
  }
  axes.channel = axis;
  forget_directions(axes);
}

const char* channel_order_name(ChannelOrder order) { return order == ChannelOrder::rgb ? "RGB" : "BGR"; }

const char* channel_name(std::size_t channels, std::size_t channel, ChannelOrder order) {
  if (channels < 3) return channel == 0 ? "grey" : "alpha";
  static constexpr const char* kNames[] = {"R", "G", "B", "alpha"};
  return kNames[order == ChannelOrder::bgr && channel < 3 ? 2 - channel : channel];
}

NumberRange natural_range(core::DType dtype) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  NumberRange out;
  if (is_unsigned(dtype)) {
    out.any = dtype.bits <= 16;
    out.high = std::ldexp(1.0, dtype.bits) - 1;
  } else if (code != core::DTypeCode::int_) {
    out.any = why_no_image(dtype).empty();
    out.high = 1;
  }
  return out;
}

std::string image_range_text(const NumberRange& range, const NumberRange& known, Digits digits) {
  const NumberRange all = known.any ? known : range;
  const auto texts = short_numbers({range.low, range.high, all.low, all.high}, digits, kExactInFloats);
  std::string out = fmt::format("{} to {} is black to white", texts[0], texts[1]);
  if (range.low == range.high) out = fmt::format("{} and more is white", texts[0]);
  if (!known.any) return out;
  const bool below = known.low < range.low, above = known.high > range.high;
  if (below && above) return out + fmt::format("; there is less and more, {} to {}", texts[2], texts[3]);
  if (below) return out + fmt::format("; there is less, from {}", texts[2]);
  return above ? out + fmt::format("; there is more, up to {}", texts[3]) : out;
}

std::uint32_t ImageInks::colour(const HeatmapTile& tile, std::size_t texel) const {
  const std::size_t channels = tile.channels();
  const auto shade_of = [&](std::size_t channel) { return shade(tile.channel(channel, texel), black, white); };
  std::uint32_t red = shade_of(0), green = red, blue = red;
  if (channels >= 3) {
    green = shade_of(1);
    blue = shade_of(2);
    if (order == ChannelOrder::bgr) std::swap(red, blue);
  }
  const std::uint32_t over = alpha && has_alpha(channels) ? shade(tile.channel(channels - 1, texel), clear, opaque) : 255;
  const std::uint32_t out = over << 24 | blue << 16 | green << 8 | red;
  return out == 0 ? 1 : out;  // 0 means unknown, so a fully transparent black becomes 1
}

std::uint32_t check_colour(int x, int y) { return (x / kCheckSide + y / kCheckSide) % 2 == 0 ? 0xFF999999U : 0xFF666666U; }

void blend_over_checks(const PixelSpan& to) {
  for (int y = 0; y < to.height; ++y) {
    std::uint32_t* const row = to.row(y);
    for (int x = 0; x < to.width; ++x) {
      const std::uint32_t over = row[x] >> 24;
      if (over == 255) continue;
      const std::uint32_t below = check_colour(x, y);
      std::uint32_t out = 0xFF000000U;
      for (unsigned shift = 0; shift < 24; shift += 8)
        out |= ((row[x] >> shift & 0xFF) * over + (below >> shift & 0xFF) * (255 - over) + 127) / 255 << shift;
      row[x] = out;
    }
  }
}

}  // namespace dlscope::app
