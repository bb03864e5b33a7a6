#include "app/models/heatmap/heatmap_window.h"

#include <algorithm>
#include <cmath>

namespace dlscope::app {
namespace {

constexpr double kMargin = 0.125;  // of what is seen, on either side

struct Stretch {
  std::int64_t from = 0, to = 0;
};

Stretch seen_along(const AxisView& view, const AxisLimits& limits) {
  if (limits.length == 0) return {};
  const std::int64_t from = std::clamp<std::int64_t>(view.unit_at(0), 0, limits.length - 1);
  const std::int64_t to = std::clamp<std::int64_t>(view.unit_at(limits.room), from, limits.length - 1);
  return {from, to + 1};
}

// The stretch with its margins, cut at multiples of the step and at the ends.
Stretch widened(Stretch seen, std::int64_t step, std::int64_t length) {
  const auto margin = static_cast<std::int64_t>(std::ceil(static_cast<double>(seen.to - seen.from) * kMargin));
  const std::int64_t from = std::max<std::int64_t>(seen.from - margin, 0) / step * step;
  const std::int64_t to = std::min(seen.to + std::min(margin, length - seen.to), length);
  const std::int64_t rest = (to - from) % step;
  return {from, rest == 0 ? to : to + std::min(step - rest, length - to)};
}

std::int64_t step_of(double texel_px, double cell_px) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(texel_px / cell_px), 1.0, 1e18));
}

}  // namespace

core::CellWindow seen_cells(const HeatmapCamera& camera) {
  const Stretch rows = seen_along(camera.rows, camera.row_limits), columns = seen_along(camera.columns, camera.column_limits);
  return {rows.from, columns.from, rows.to - rows.from, columns.to - columns.from, 1, 1};
}

core::CellWindow wanted_window(const HeatmapCamera& camera) {
  const core::CellWindow seen = seen_cells(camera);
  const double widening = 1 + 2 * kMargin;
  const double area = camera.row_limits.room * camera.column_limits.room * widening * widening;
  double texel = std::max(1.0, std::sqrt(area / static_cast<double>(core::kMostTexels)));
  for (;; texel *= 1.1) {
    core::CellWindow out;
    out.row_step = step_of(texel, camera.rows.px_per_unit());
    out.column_step = step_of(texel, camera.columns.px_per_unit());
    const Stretch rows = widened({seen.row, seen.row + seen.rows}, out.row_step, camera.row_limits.length);
    const Stretch columns = widened({seen.column, seen.column + seen.columns}, out.column_step, camera.column_limits.length);
    out.row = rows.from;
    out.rows = rows.to - rows.from;
    out.column = columns.from;
    out.columns = columns.to - columns.from;
    const bool fits = out.texel_rows() <= core::kMostTexelsOneWay && out.texel_columns() <= core::kMostTexelsOneWay &&
                      out.texel_rows() * out.texel_columns() <= core::kMostTexels;
    if (fits) return out;
  }
}

bool serves(const core::CellWindow& picture, const core::CellWindow& wanted, const core::CellWindow& seen) {
  const auto holds = [](std::int64_t from, std::int64_t count, std::int64_t inner, std::int64_t inner_count) {
    return from <= inner && inner + inner_count <= from + count;
  };
  return holds(picture.row, picture.rows, seen.row, seen.rows) &&
         holds(picture.column, picture.columns, seen.column, seen.columns) && picture.row_step <= wanted.row_step &&
         picture.column_step <= wanted.column_step;
}

}  // namespace dlscope::app
