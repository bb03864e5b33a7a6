#include "app/models/heatmap/heatmap_pixels.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {
namespace {

// For each pixel which texel it shows; -1: none.
std::vector<std::int32_t> texels_along(const AxisView& view, int pixels, std::int64_t first, std::int64_t cells,
                                       std::int64_t step) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(pixels));
  for (int i = 0; i < pixels; ++i) {
    const std::int64_t cell = view.unit_at(static_cast<double>(i) + 0.5) - first;
    out[static_cast<std::size_t>(i)] = cell < 0 || cell >= cells ? -1 : static_cast<std::int32_t>(cell / step);
  }
  return out;
}

struct PixelStretch {
  int from = 0, to = 0;
};

// The pixels of a texel, at least `least` of them; empty: outside.
PixelStretch pixels_of(const AxisView& view, std::int64_t first_cell, std::int64_t cells, int least, int room) {
  const double from = view.x_of(first_cell), to = view.x_of(first_cell + cells);
  if (to < 0 || from > static_cast<double>(room)) return {};
  int begin = static_cast<int>(std::floor(std::max(from, -1e6))), end = static_cast<int>(std::ceil(std::min(to, 1e6)));
  if (end - begin < least) {
    begin = static_cast<int>(std::floor((from + to) / 2 - least / 2.0));
    end = begin + least;
  }
  return {std::clamp(begin, 0, room), std::clamp(end, 0, room)};
}

void paint_specials(const HeatmapPicture& picture, std::span<const std::uint32_t> colours, const HeatmapCamera& camera, int least,
                    const PixelSpan& to) {
  const core::CellWindow& w = picture.asked.window;
  const std::size_t columns = picture.texels.rect.columns;
  for (std::size_t i = 0; i < picture.texels.flags.size(); ++i) {
    if ((picture.texels.flags[i] & core::kTexelSpecial) == 0) continue;
    const auto row = static_cast<std::int64_t>(i / columns), column = static_cast<std::int64_t>(i % columns);
    const PixelStretch y = pixels_of(camera.rows, w.row + row * w.row_step, w.row_step, least, to.height);
    const PixelStretch x = pixels_of(camera.columns, w.column + column * w.column_step, w.column_step, least, to.width);
    for (int line = y.from; line < y.to; ++line)
      std::fill_n(to.pixels + static_cast<std::size_t>(line) * to.pitch + x.from, std::max(x.to - x.from, 0), colours[i]);
  }
}

}  // namespace

const char* texel_number_name(TexelNumber number) {
  static constexpr const char* kNames[] = {"mean", "min", "max"};
  return kNames[static_cast<std::size_t>(number)];
}

double number_of(const core::Texels& texels, TexelNumber number, std::size_t texel) {
  switch (number) {
    case TexelNumber::least:
      return texels.least[texel];
    case TexelNumber::greatest:
      return texels.greatest[texel];
    default:
      return texels.mean[texel];
  }
}

void NumberRange::include(const NumberRange& other) {
  flags |= other.flags;
  if (!other.any) return;
  low = any ? std::min(low, other.low) : other.low;
  high = any ? std::max(high, other.high) : other.high;
  any = true;
}

NumberRange range_of(const core::Texels& texels, TexelNumber number) {
  NumberRange out;
  for (std::size_t i = 0; i < texels.flags.size(); ++i) {
    out.flags |= texels.flags[i];
    if ((texels.flags[i] & core::kTexelFinite) == 0) continue;
    const double value = number_of(texels, number, i);
    out.low = out.any ? std::min(out.low, value) : value;
    out.high = out.any ? std::max(out.high, value) : value;
    out.any = true;
  }
  return out;
}

NumberRange range_of(const HeatmapPicture& picture, TexelNumber number, const core::CellWindow& seen) {
  NumberRange out;
  const core::CellWindow& w = picture.asked.window;
  const std::size_t columns = picture.texels.rect.columns;
  for (std::size_t i = 0; i < picture.texels.flags.size(); ++i) {
    const std::int64_t row = w.row + static_cast<std::int64_t>(i / columns) * w.row_step;
    const std::int64_t column = w.column + static_cast<std::int64_t>(i % columns) * w.column_step;
    if (row + w.row_step <= seen.row || row >= seen.row + seen.rows || column + w.column_step <= seen.column ||
        column >= seen.column + seen.columns)
      continue;
    NumberRange one{0, 0, (picture.texels.flags[i] & core::kTexelFinite) != 0, picture.texels.flags[i]};
    one.low = one.high = number_of(picture.texels, number, i);
    out.include(one);
  }
  return out;
}

void colour_texels(const core::Texels& texels, TexelNumber number, const HeatmapInks& inks, std::vector<std::uint32_t>& out) {
  out.resize(texels.flags.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t flags = texels.flags[i];
    if ((flags & core::kTexelNan) != 0)
      out[i] = inks.nan;
    else if ((flags & core::kTexelPosInf) != 0)
      out[i] = inks.pos_inf;
    else if ((flags & core::kTexelNegInf) != 0)
      out[i] = inks.neg_inf;
    else if ((flags & core::kTexelFinite) != 0)
      out[i] = inks.scale.colour(*inks.table, number_of(texels, number, i));
    else
      out[i] = flags == 0 ? 0 : inks.none;
  }
}

void paint_texels(const HeatmapPicture& picture, std::span<const std::uint32_t> colours, const HeatmapCamera& camera,
                  int least_special, const PixelSpan& to) {
  const core::CellWindow& w = picture.asked.window;
  const auto rows = texels_along(camera.rows, to.height, w.row, w.rows, w.row_step);
  const auto columns = texels_along(camera.columns, to.width, w.column, w.columns, w.column_step);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    if (rows[y] < 0) continue;
    const std::uint32_t* const line = colours.data() + static_cast<std::size_t>(rows[y]) * picture.texels.rect.columns;
    std::uint32_t* const out = to.pixels + y * to.pitch;
    for (std::size_t x = 0; x < columns.size(); ++x) {
      if (columns[x] < 0) continue;
      const std::uint32_t colour = line[columns[x]];
      if (colour != 0) out[x] = colour;
    }
  }
  paint_specials(picture, colours, camera, least_special, to);
}

}  // namespace dlscope::app
