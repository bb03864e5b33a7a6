#include "app/models/heatmap/heatmap_window.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/models/heatmap/heatmap_background.h"
#include "core/compare/difference_task.h"

namespace dlscope::app {
namespace {

constexpr int kCoarser = 2;                                        // levels: a sixteenth of the texels
constexpr std::int64_t kFewTiles = 32;                             // with so few missing, no coarse view is requested first
constexpr std::uint64_t kValuesAtOnce = std::uint64_t{1} << 26;    // of one exact request: takes a fraction of a second
constexpr std::uint64_t kValuesAround = std::uint64_t{1} << 24;    // for the surroundings, which are not visible yet
constexpr std::int64_t kTilesBeside = 24;                          // stored besides the view and its surroundings
constexpr std::int64_t kOverviewTiles = 4;                         // in one direction, for the whole table
constexpr std::int64_t kMaxTilesAtOnce = core::kMaxTexels / (kTileSide * kTileSide);

struct Stretch {
  std::int64_t from = 0, to = 0;
};

Stretch seen_along(const AxisView& view, const AxisLimits& limits) {
  if (limits.length == 0) return {};
  const std::int64_t from = std::clamp<std::int64_t>(view.unit_at(0), 0, limits.length - 1);
  const std::int64_t to = std::clamp<std::int64_t>(view.unit_at(limits.room), from, limits.length - 1);
  return {from, to + 1};
}

// The tiles that contain `count` cells from `from` on.
Stretch tiles_along(std::int64_t from, std::int64_t count, int level) {
  if (count == 0) return {};
  const int shift = level + std::countr_zero(static_cast<std::uint64_t>(kTileSide));
  return {from >> shift, ((from + count - 1) >> shift) + 1};
}

TileRect tiles_of(const core::CellWindow& cells, const TexelLevel& level) {
  const Stretch rows = tiles_along(cells.row, cells.rows, level.down),
                columns = tiles_along(cells.column, cells.columns, level.across);
  return {rows.from, columns.from, rows.to - rows.from, columns.to - columns.from};
}

// The finest level whose texels are at least one pixel.
int finest_level(double px_per_cell) {
  constexpr double kMax = 57;  // the side of a tile is a 64-bit number
  return static_cast<int>(std::clamp(std::ceil(std::log2(1 / px_per_cell)), 0.0, kMax));
}

TileRect widened(const TileRect& tiles, const TileRect& all) {
  TileRect out;
  out.row = std::max(tiles.row - 1, all.row);
  out.column = std::max(tiles.column - 1, all.column);
  out.rows = std::min(tiles.row + tiles.rows + 1, all.row + all.rows) - out.row;
  out.columns = std::min(tiles.column + tiles.columns + 1, all.column + all.columns) - out.column;
  return out;
}

HeatmapView overview_of(const core::CellCounts& cells) {
  const auto level = [](std::int64_t length) {
    int out = 0;
    while (((length - 1) >> out) >= kOverviewTiles * kTileSide) ++out;
    return static_cast<std::uint8_t>(out);
  };
  const TexelLevel both{level(std::max<std::int64_t>(cells.rows, 1)), level(std::max<std::int64_t>(cells.columns, 1))};
  return {both, tiles_of({0, 0, cells.rows, cells.columns, 1, 1}, both)};
}

enum class Enough : std::uint8_t { covered, exact };

// The missing tiles of a view as one rectangle: grown from the first one to the right, then down.
class MissingTiles {
 public:
  MissingTiles(const HeatmapStore& store, const HeatmapView& view, Enough enough) : store_(store), view_(view), enough_(enough) {}

  // At most `most` tiles.
  [[nodiscard]] std::optional<TileRect> first(std::int64_t most) const {
    const TileRect& all = view_.tiles;
    for (std::int64_t row = all.row; row < all.row + all.rows; ++row) {
      for (std::int64_t column = all.column; column < all.column + all.columns; ++column) {
        if (missing(row, column)) return grown({row, column, 1, 1}, most);
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool missing(std::int64_t row, std::int64_t column) const {
    const HeatmapTile* const tile = store_.tile(view_.level, row, column);
    return tile == nullptr || !(enough_ == Enough::exact ? tile->is_exact() : tile->covers());
  }
  [[nodiscard]] TileRect grown(TileRect rect, std::int64_t most) const {
    const TileRect& all = view_.tiles;
    while (rect.columns < most && rect.column + rect.columns < all.column + all.columns &&
           missing(rect.row, rect.column + rect.columns))
      ++rect.columns;
    const auto row_is_missing = [&](std::int64_t row) {
      for (std::int64_t i = 0; i < rect.columns; ++i)
        if (!missing(row, rect.column + i)) return false;
      return true;
    };
    while ((rect.rows + 1) * rect.columns <= most && rect.row + rect.rows < all.row + all.rows &&
           row_is_missing(rect.row + rect.rows))
      ++rect.rows;
    return rect;
  }

  const HeatmapStore& store_;
  const HeatmapView& view_;
  Enough enough_;
};

class Planner {
 public:
  Planner(const HeatmapStore& store, const HeatmapCamera& camera, const HeatmapSubject& subject)
      : store_(store.about(subject.tensor, *subject.axes, subject.difference, subject.field) ? store : nothing()),
        subject_(subject),
        cells_(camera.cells()),
        view_(view_of(camera, subject.form())),
        known_(known_of(store_, view_)) {}

  [[nodiscard]] std::optional<HeatmapRequest> next() const {
    if (view_.tiles.count() == 0) return std::nullopt;
    const HeatmapReading* const reading = store_.reading();
    const bool in_background = reading != nullptr && reading->asked.most_exact > subject_.most_exact;  // gives way
    if (reading != nullptr && reading->computing() && !in_background && is_of_use(reading->asked)) return std::nullopt;
    std::optional<HeatmapRequest> request = choose();
    // Do not repeat a request by itself that failed or was cancelled.
    using Phase = HeatmapReading::Phase;
    const bool ended_badly = reading != nullptr && (reading->phase == Phase::failed || reading->phase == Phase::cancelled);
    if (request && ended_badly && reading->asked == *request) return std::nullopt;
    return request;
  }

  // Of so few values that it is soon done.
  [[nodiscard]] std::optional<HeatmapRequest> next_of_overview(std::uint64_t most_values) const {
    const HeatmapReading* const reading = store_.reading();
    if (view_.tiles.count() == 0 || reading == nullptr || reading->phase != HeatmapReading::Phase::done) return std::nullopt;
    const HeatmapView all = overview_of(cells_);
    const std::uint64_t values = values_in(all.level, all.tiles);
    if (values <= subject_.most_exact || values > most_values) return std::nullopt;
    const std::uint64_t each = std::max<std::uint64_t>(values / static_cast<std::uint64_t>(all.tiles.count()), 1);
    const auto most = static_cast<std::int64_t>(std::clamp<std::uint64_t>(kValuesAround / each, 1, kMaxTilesAtOnce));
    const auto rect = MissingTiles(store_, all, Enough::exact).first(most);
    return rect ? std::optional(request(all, *rect, values)) : std::nullopt;
  }

 private:
  // The tiles of another tensor, or with other axes, are of no use here.
  static const HeatmapStore& nothing() {
    static const HeatmapStore none;
    return none;
  }
  [[nodiscard]] HeatmapRequest request(const HeatmapView& view, const TileRect& tiles, std::uint64_t most_exact) const {
    return {subject_.tensor, *subject_.axes, cells_, view.level, tiles, most_exact, subject_.difference, subject_.field};
  }
  [[nodiscard]] std::uint64_t values_in(const TexelLevel& level, const TileRect& tiles) const {
    return subject_.count(window_of(level, tiles, cells_)).to_read;
  }

  [[nodiscard]] std::optional<HeatmapRequest> choose() const {
    const std::uint64_t values = values_in(view_.level, view_.tiles);
    const bool is_exact = values <= subject_.most_exact;
    if (known_.tiles - known_.covered > kFewTiles && values > kValuesAround) {
      for (const HeatmapView& coarse : {overview_of(cells_), coarser_view(view_, cells_, kCoarser)}) {
        if (auto rect = missing(coarse, Enough::covered)) return request(coarse, *rect, 0);
      }
    }
    if (is_exact && !known_.is_exact()) {
      // A large view is first covered by a sample, then read exactly piece by piece.
      const bool at_once = values <= kValuesAtOnce;
      if (!at_once && !known_.is_covered()) return sample();
      const std::uint64_t each = std::max<std::uint64_t>(values / static_cast<std::uint64_t>(view_.tiles.count()), 1);
      const auto most = static_cast<std::int64_t>(std::clamp<std::uint64_t>(kValuesAtOnce / each, 1, kMaxTilesAtOnce));
      const auto rect = MissingTiles(store_, view_, Enough::exact).first(at_once ? kMaxTilesAtOnce : most);
      if (rect) return request(view_, *rect, subject_.most_exact);
    }
    if (!is_exact && !known_.is_covered()) return sample();
    return around(is_exact);
  }

  [[nodiscard]] std::optional<TileRect> missing(const HeatmapView& view, Enough enough) const {
    return MissingTiles(store_, view, enough).first(kMaxTilesAtOnce);
  }
  [[nodiscard]] std::optional<HeatmapRequest> sample() const {
    const auto rect = missing(view_, Enough::covered);
    return rect ? std::optional(request(view_, *rect, 0)) : std::nullopt;
  }

  // One more tile on every side where that is quick, so that panning shows it at once.
  [[nodiscard]] std::optional<HeatmapRequest> around(bool is_exact) const {
    const TileRect all = tiles_of({0, 0, cells_.rows, cells_.columns, 1, 1}, view_.level);
    const HeatmapView wider{view_.level, widened(view_.tiles, all)};
    const auto texels = static_cast<std::size_t>((wider.tiles.count() + kTilesBeside) * kTileSide * kTileSide);
    if (subject_.form().bytes_of(texels) > most_tile_bytes(subject_.form()))
      return std::nullopt;  // they would displace each other
    const auto rect = missing(wider, is_exact ? Enough::exact : Enough::covered);
    if (!rect) return std::nullopt;
    const bool soon = values_in(view_.level, *rect) <= kValuesAround;
    if (is_exact && !soon) return std::nullopt;
    return request(wider, *rect, is_exact ? subject_.most_exact : 0);
  }

  // Whether its tiles belong to the view, to a coarser view of it, or are next to it.
  [[nodiscard]] bool is_of_use(const HeatmapRequest& asked) const {
    const auto meets = [&](const HeatmapView& view) {
      if (asked.level != view.level) return false;
      const TileRect &a = asked.tiles, &b = view.tiles;
      return a.row <= b.row + b.rows && b.row <= a.row + a.rows && a.column <= b.column + b.columns &&
             b.column <= a.column + a.columns;
    };
    return meets(view_) || meets(overview_of(cells_)) || meets(coarser_view(view_, cells_, kCoarser));
  }

  const HeatmapStore& store_;
  const HeatmapSubject& subject_;
  core::CellCounts cells_;
  HeatmapView view_;
  HeatmapKnown known_;
};

}  // namespace

core::CellWindow seen_cells(const HeatmapCamera& camera) {
  const Stretch rows = seen_along(camera.rows, camera.row_limits), columns = seen_along(camera.columns, camera.column_limits);
  return {rows.from, columns.from, rows.to - rows.from, columns.to - columns.from, 1, 1};
}

HeatmapView view_of(const HeatmapCamera& camera, TexelForm form) {
  const core::CellWindow seen = seen_cells(camera);
  const double row_px = camera.rows.px_per_unit(), column_px = camera.columns.px_per_unit();
  int down = finest_level(row_px), across = finest_level(column_px);
  const auto most = static_cast<std::int64_t>(most_view_bytes(form) / form.bytes_of(kTileSide * kTileSide));
  for (;;) {
    HeatmapView view{{static_cast<std::uint8_t>(down), static_cast<std::uint8_t>(across)}, {}};
    view.tiles = tiles_of(seen, view.level);
    if (view.tiles.count() <= most) return view;
    // In the direction with the smaller texels; but one that is a single tile already would gain nothing.
    const bool shorter_down = std::ldexp(row_px, down) <= std::ldexp(column_px, across);
    ++((shorter_down && view.tiles.rows > 1) || view.tiles.columns <= 1 ? down : across);
  }
}

HeatmapView coarser_view(const HeatmapView& view, const core::CellCounts& cells, int coarser) {
  const HeatmapView all = overview_of(cells);
  HeatmapView out;
  out.level.down =
      static_cast<std::uint8_t>(std::clamp<int>(view.level.down + coarser, 0, std::max(all.level.down, view.level.down)));
  out.level.across =
      static_cast<std::uint8_t>(std::clamp<int>(view.level.across + coarser, 0, std::max(all.level.across, view.level.across)));
  out.tiles = tiles_of(window_of(view.level, view.tiles, cells), out.level);
  return out;
}

HeatmapKnown known_of(const HeatmapStore& store, const HeatmapView& view) {
  HeatmapKnown out{.tiles = view.tiles.count()};
  for (std::int64_t row = view.tiles.row; row < view.tiles.row + view.tiles.rows; ++row) {
    for (std::int64_t column = view.tiles.column; column < view.tiles.column + view.tiles.columns; ++column) {
      const HeatmapTile* const tile = store.tile(view.level, row, column);
      if (tile == nullptr) continue;
      out.covered += tile->covers() ? 1 : 0;
      out.exact += tile->is_exact() ? 1 : 0;
      out.texels += tile->size();
      out.exact_texels += tile->exact_texels();
    }
  }
  return out;
}

TexelForm HeatmapSubject::form() const { return difference ? kDifferenceForm : texel_form(values.dtype, values.layout, *axes); }

core::WindowValues HeatmapSubject::count(const core::CellWindow& window) const {
  return difference ? core::count_pairs(values, subtracted, *axes, window) : core::count_values(values, *axes, window);
}

std::uint64_t most_in_background(const core::TensorRecord& tensor) {
  const bool on_device = core::device_memory(tensor.device) == core::DeviceMemory::device;
  return on_device ? 0 : std::uint64_t{1} << 30;
}

std::optional<HeatmapRequest> next_in_background(const HeatmapStore& store, const HeatmapCamera& camera,
                                                 const HeatmapSubject& subject, std::uint64_t most) {
  return Planner(store, camera, subject).next_of_overview(most);
}

bool is_overview_exact(const HeatmapStore& store, const core::CellCounts& cells) {
  return known_of(store, overview_of(cells)).is_exact();
}

std::optional<HeatmapRequest> next_request(const HeatmapStore& store, const HeatmapCamera& camera,
                                           const HeatmapSubject& subject) {
  return Planner(store, camera, subject).next();
}

}  // namespace dlscope::app
