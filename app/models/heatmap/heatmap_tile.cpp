#include "app/models/heatmap/heatmap_tile.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {
namespace {

// How many texels tile number `tile` has along one direction.
std::int64_t texels_of(std::int64_t cells, std::int64_t step, std::int64_t tile) {
  const std::int64_t texels = cells / step + (cells % step != 0 ? 1 : 0);
  return std::clamp<std::int64_t>(texels - tile * kTileSide, 0, kTileSide);
}

}  // namespace

core::CellWindow window_of(const TexelLevel& level, const TileRect& tiles, const core::CellCounts& cells) {
  const auto along = [](std::int64_t first, std::int64_t count, std::int64_t step, std::int64_t all, std::int64_t& from,
                        std::int64_t& length) {
    std::int64_t to = 0;
    from = std::min(first * kTileSide * step, all);
    if (__builtin_mul_overflow((first + count) * kTileSide, step, &to)) to = all;
    length = std::min(to, all) - from;
  };
  core::CellWindow out;
  out.row_step = level.row_step();
  out.column_step = level.column_step();
  along(tiles.row, tiles.rows, out.row_step, cells.rows, out.row, out.rows);
  along(tiles.column, tiles.columns, out.column_step, cells.columns, out.column, out.columns);
  return out;
}

const char* texel_number_name(TexelNumber number) {
  static constexpr const char* kNames[] = {"mean", "min", "max", "farthest from 0"};
  return kNames[static_cast<std::size_t>(number)];
}

double farther_from_0(double min, double max) { return std::abs(min) > std::abs(max) ? min : max; }

void NumberRange::include(double value) {
  low = any ? std::min(low, value) : value;
  high = any ? std::max(high, value) : value;
  any = true;
}

void NumberRange::include(const NumberRange& other) {
  flags |= other.flags;
  if (!other.any) return;
  include(other.low);
  include(other.high);
}

HeatmapTile::HeatmapTile(std::uint64_t number, TexelLevel level, std::int64_t row, std::int64_t column,
                         const core::CellCounts& cells, TexelForm form)
    : number_(number),
      form_(form),
      level_(level),
      row_(row),
      column_(column),
      rows_(texels_of(cells.rows, level.row_step(), row)),
      columns_(texels_of(cells.columns, level.column_step(), column)) {
  const auto texels = static_cast<std::size_t>(rows_ * columns_);
  flags_.resize(texels);
  if (form.width == NumberWidth::floats)
    floats_.resize(texels * form.numbers());
  else
    doubles_.resize(texels * form.numbers());
}

void HeatmapTile::restart() {
  if (sampled_ < size()) sampled_ = 0;
  if (exact_ < size()) exact_ = 0;
}

void HeatmapTile::put(std::int64_t row, std::int64_t column, const Texel& texel, core::TexelMethod method) {
  const double numbers[3] = {texel.min, texel.max, texel.mean};
  put_numbers(index_of(row, column), numbers, texel.flags, method);
}

void HeatmapTile::put(std::int64_t row, std::int64_t column, std::span<const double> channels, std::uint8_t flags,
                      core::TexelMethod method) {
  put_numbers(index_of(row, column), channels, flags, method);
}

void HeatmapTile::put_numbers(std::size_t i, std::span<const double> numbers, std::uint8_t flags, core::TexelMethod method) {
  const bool exact = method == core::TexelMethod::exact;
  if (!exact && covers()) return;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (doubles_.empty())
      floats_[i * numbers.size() + k] = static_cast<float>(numbers[k]);
    else
      doubles_[i * numbers.size() + k] = numbers[k];
  }
  flags_[i] = flags;
  all_flags_ |= flags;
  ++(exact ? exact_ : sampled_);
  ++revision_;
}

HeatmapTile::Texel HeatmapTile::at(std::size_t i) const {
  if (form_.channels > 0) return {.flags = flags_[i]};
  return {value(TexelNumber::min, i), value(TexelNumber::max, i), value(TexelNumber::mean, i), flags_[i]};
}

double HeatmapTile::value(TexelNumber number, std::size_t i) const {
  if (number == TexelNumber::farthest) return farther_from_0(this->number(i * 3), this->number(i * 3 + 1));
  return this->number(i * 3 + (number == TexelNumber::min ? 0U : number == TexelNumber::max ? 1U : 2U));
}

NumberRange range_of(const HeatmapTile& tile, TexelNumber number) {
  NumberRange out;
  for (std::size_t i = 0; i < tile.size(); ++i) {
    out.flags |= tile.flags(i);
    if ((tile.flags(i) & core::kTexelFinite) != 0) tile.for_each_number(number, i, [&](double x) { out.include(x); });
  }
  return out;
}

}  // namespace dlscope::app
