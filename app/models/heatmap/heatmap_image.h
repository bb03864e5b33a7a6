// A tensor as an image: possible channel axes, the numbers for black and white, the colours of its pixels. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/models/heatmap/heatmap_tile.h"
#include "app/models/heatmap/short_number.h"
#include "core/reduce/cell_axes.h"
#include "core/tensor/dtype.h"

namespace dlscope::app {

// Why values of this type cannot be shown as brightness, as a sentence; "": they can.
[[nodiscard]] std::string why_no_image(core::DType dtype);
// Axes that may hold the channels, the likeliest first: those of size 3 or 4 and, for the integer types of image files, a last
// axis of size 2. At least two other axes must remain for rows and columns.
[[nodiscard]] std::vector<std::uint8_t> possible_channels(std::span<const std::int64_t> shape, core::DType dtype);
// Makes `axis` the channel axis and the innermost two others rows and columns; the rest keep their positions.
void set_channels(std::span<const std::int64_t> shape, std::uint8_t axis, core::CellAxes& axes);

enum class ChannelOrder : std::uint8_t { rgb, bgr, count };
[[nodiscard]] const char* channel_order_name(ChannelOrder order);  // "RGB"
// "R", "G", "B", "alpha", "grey": the name of a channel, given how many there are.
[[nodiscard]] const char* channel_name(std::size_t channels, std::size_t channel, ChannelOrder order);
[[nodiscard]] constexpr bool has_alpha(std::size_t channels) { return channels == 2 || channels == 4; }

// The usual brightness range of a type: 0 to the maximum for unsigned integers of at most 16 bits, 0 to 1 for floats. any is
// false: there is no convention.
[[nodiscard]] NumberRange natural_range(core::DType dtype);
// "0 to 255 is black to white", and how far the `known` values go beyond it.
[[nodiscard]] std::string image_range_text(const NumberRange& range, const NumberRange& known, Digits digits = Digits::six);

// How channel values become a colour.
struct ImageInks {
  ChannelOrder order = ChannelOrder::rgb;
  double black = 0, white = 1;
  double clear = 0, opaque = 1;  // the alpha values of these
  bool alpha = false;            // there is an alpha channel, and it is used
  [[nodiscard]] bool shows_alpha() const { return alpha; }
  // 0xAABBGGRR, never 0; opaque when alpha is not used.
  [[nodiscard]] std::uint32_t colour(const HeatmapTile& tile, std::size_t texel) const;
  friend bool operator==(const ImageInks&, const ImageInks&) = default;
};

// A rectangle of pixels, into which a camera's view is painted.
struct PixelSpan {
  std::uint32_t* pixels = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t pitch = 0;  // pixels from one row to the next lower one
  [[nodiscard]] std::uint32_t* row(int y) const { return pixels + y * pitch; }
};
// Puts light and dark squares behind transparent pixels; every pixel is opaque afterwards.
void blend_over_checks(const PixelSpan& pixels);
[[nodiscard]] std::uint32_t check_colour(int x, int y);  // of the square behind that pixel

}  // namespace dlscope::app
