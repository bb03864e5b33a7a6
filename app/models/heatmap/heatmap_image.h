// A tensor as an image: which axis may hold its channels, which numbers are black and white, and the colours of its pixels. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/models/heatmap/heatmap_tile.h"
#include "core/reduce/cell_axes.h"
#include "core/tensor/dtype.h"

namespace dlscope::app {

// Why values of this type are no brightness, as a sentence; "" when they are.
[[nodiscard]] std::string why_no_image(core::DType dtype);
// Axes that may hold the channels, the likeliest first: of size 3 or 4, or, of whole numbers as they are stored in files, the last one
// of size 2. Two other axes are left for rows and columns.
[[nodiscard]] std::vector<std::uint8_t> possible_channels(std::span<const std::int64_t> shape, core::DType dtype);
// The innermost two of the other axes are rows and columns, the rest stand where they stood.
void set_channels(std::span<const std::int64_t> shape, std::uint8_t axis, core::CellAxes& axes);

enum class ChannelOrder : std::uint8_t { rgb, bgr, count };
[[nodiscard]] const char* channel_order_name(ChannelOrder order);  // "RGB"
// "R", "G", "B", "alpha", "grey": of a channel of so many.
[[nodiscard]] const char* channel_name(std::size_t channels, std::size_t channel, ChannelOrder order);
[[nodiscard]] constexpr bool has_alpha(std::size_t channels) { return channels == 2 || channels == 4; }

// What such numbers mean as brightness by themselves: 0 to the largest of unsigned ones of at most 16 bits, 0 to 1 of floating ones.
// any is false: nothing is agreed on.
[[nodiscard]] NumberRange natural_range(core::DType dtype);
// "0 to 255 is black to white", with what lies beyond it among `known`.
[[nodiscard]] std::string image_range_text(const NumberRange& range, const NumberRange& known);

// How the channels' numbers become a colour.
struct ImageInks {
  ChannelOrder order = ChannelOrder::rgb;
  double black = 0, white = 1;
  double clear = 0, opaque = 1;  // of alpha
  bool alpha = false;            // there is one, and it is drawn
  [[nodiscard]] bool shows_alpha() const { return alpha; }
  // 0xAABBGGRR, never 0; opaque without alpha.
  [[nodiscard]] std::uint32_t colour(const HeatmapTile& tile, std::size_t texel) const;
  friend bool operator==(const ImageInks&, const ImageInks&) = default;
};

// Pixels of a picture, over which a camera's room is laid.
struct PixelSpan {
  std::uint32_t* pixels = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t pitch = 0;  // pixels from one row to the next one below
  [[nodiscard]] std::uint32_t* row(int y) const { return pixels + y * pitch; }
};
// What can be seen through lies over light and dark squares; every pixel is opaque afterwards.
void blend_over_checks(const PixelSpan& pixels);
[[nodiscard]] std::uint32_t check_colour(int x, int y);  // of the square below that pixel

}  // namespace dlscope::app
