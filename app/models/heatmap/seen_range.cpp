#include "app/models/heatmap/seen_range.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/models/heatmap/tile_walk.h"

namespace dlscope::app {
namespace {

// Calls each(tile, index in it) for the texels of the view's tiles that show cells of `seen`.
template <class Each>
void for_each_seen(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen, Each each) {
  for_each_tile(store, view, [&](const HeatmapTile& tile) {
    for (std::int64_t row = 0; row < tile.rows(); ++row) {
      for (std::int64_t column = 0; column < tile.columns(); ++column) {
        const core::CellWindow cells = cells_of(tile, row, column);
        const bool is_seen = cells.row + cells.rows > seen.row && cells.row < seen.row + seen.rows &&
                             cells.column + cells.columns > seen.column && cells.column < seen.column + seen.columns;
        if (is_seen) each(tile, tile.index_of(row, column));
      }
    }
  });
}

}  // namespace

NumberRange range_of(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen, TexelNumber number) {
  NumberRange out;
  for_each_seen(store, view, seen, [&](const HeatmapTile& tile, std::size_t i) {
    out.flags |= tile.flags(i);
    if ((tile.flags(i) & core::kTexelFinite) != 0) tile.for_each_number(number, i, [&](double x) { out.include(x); });
  });
  return out;
}

NumberRange percentile_range(const HeatmapStore& store, const HeatmapView& view, const core::CellWindow& seen, TexelNumber number,
                             double low, double high) {
  NumberRange out;
  std::vector<double> numbers;
  for_each_seen(store, view, seen, [&](const HeatmapTile& tile, std::size_t i) {
    out.flags |= tile.flags(i);
    if ((tile.flags(i) & core::kTexelFinite) != 0) tile.for_each_number(number, i, [&](double x) { numbers.push_back(x); });
  });
  if (numbers.empty()) return out;
  const auto at = [&](double part) {
    const auto place = static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(numbers.size() - 1)));
    std::ranges::nth_element(numbers, numbers.begin() + place);
    return numbers[static_cast<std::size_t>(place)];
  };
  out.include(at(low));
  out.include(at(high));
  return out;
}

}  // namespace dlscope::app
