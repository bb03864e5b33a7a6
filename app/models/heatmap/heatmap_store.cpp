#include "app/models/heatmap/heatmap_store.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

#include "core/inventory/field_view.h"
#include "core/inventory/tensor_numbers.h"
#include "core/reduce/number_rows.h"

namespace dlscope::app {
namespace {

int coarseness(const TexelLevel& level) { return level.down + level.across; }

constexpr std::int64_t kOtherLevel = std::int64_t{1} << 32;
constexpr std::int64_t kOverviewTiles = 16;  // of the coarsest level: never removed to make room

// The distance of a tile from the requested ones; another level counts as farther than any place on the same level.
std::int64_t distance(const TexelLevel& level, std::int64_t row, std::int64_t column, const HeatmapRequest& request) {
  const auto apart = [](std::int64_t tile, std::int64_t first, std::int64_t count, int from, int to) {
    // The middle of the request, as a tile of this level.
    const std::int64_t middle = first + count / 2;
    const std::int64_t here = from >= to ? middle << std::min(from - to, 30) : middle >> std::min(to - from, 62);
    return std::min<std::int64_t>(std::abs(tile - here), 1 << 20);
  };
  const int levels = std::abs(level.down - request.level.down) + std::abs(level.across - request.level.across);
  return (levels == 0 ? 0 : kOtherLevel) + std::int64_t{levels} * 8 +
         apart(row, request.tiles.row, request.tiles.rows, request.level.down, level.down) +
         apart(column, request.tiles.column, request.tiles.columns, request.level.across, level.across);
}

bool holds(const TileRect& rect, std::int64_t row, std::int64_t column) {
  return row >= rect.row && row < rect.row + rect.rows && column >= rect.column && column < rect.column + rect.columns;
}

}  // namespace

TexelForm texel_form(core::DType dtype, core::LayoutView layout, const core::CellAxes& axes) {
  if (axes.channel) return {NumberWidth::floats, static_cast<std::uint8_t>(core::count_channels(layout, axes))};
  return {core::fits_float(dtype) ? NumberWidth::floats : NumberWidth::doubles};
}

std::size_t HeatmapStore::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.row) * 0x9e3779b97f4a7c15 ^ static_cast<std::uint64_t>(key.column);
  hash = hash * 0xbf58476d1ce4e5b9 ^ static_cast<std::uint64_t>(key.level.down << 8 | key.level.across);
  return hash ^ hash >> 29;
}

void HeatmapStore::drop() {
  reading_ = {};
  read_from_ = ReadFrom::nothing;
  tiles_.clear();
  levels_.clear();
  ranges_.clear();
  bytes_ = 0;
  ++revision_;
}

std::uint64_t HeatmapStore::show(const core::SnapshotPtr& snapshot, std::uint64_t process) {
  if (snapshot == snapshot_ && process == process_) return 0;
  const std::uint64_t waited_for = reading_.computing() ? reading_.task : 0;
  drop();
  snapshot_ = snapshot;
  process_ = process;
  return waited_for;
}

bool HeatmapStore::about(std::uint32_t tensor, const core::CellAxes& axes, std::optional<core::DifferenceKind> difference,
                         std::uint16_t field) const {
  const HeatmapRequest& asked = reading_.asked;
  return reading_.id != 0 && asked.tensor == tensor && asked.axes == axes && asked.difference == difference &&
         asked.field == field;
}

HeatmapStore::Begun HeatmapStore::begin(HeatmapRequest request, bool own) {
  Begun begun;
  if (reading_.computing()) begun.dropped_task = reading_.task;
  if (!about(request.tensor, request.axes, request.difference, request.field)) drop();
  const ReadFrom now = own ? ReadFrom::own : ReadFrom::perhaps_another;
  read_from_ = read_from_ == ReadFrom::nothing || read_from_ == now ? now : ReadFrom::both;
  form_ = kDifferenceForm;
  if (const auto part = core::part_view(snapshot_, request.tensor, request.field); part && !request.difference)
    form_ = texel_form(core::numbers_of(*part->snapshot, part->record()).dtype, part->layout(), request.axes);
  make_room(request);
  for (std::int64_t row = request.tiles.row; row < request.tiles.row + request.tiles.rows; ++row) {
    for (std::int64_t column = request.tiles.column; column < request.tiles.column + request.tiles.columns; ++column) {
      auto& tile = tiles_[{request.level, row, column}];
      if (tile) {
        tile->restart();
        continue;
      }
      tile = std::make_unique<HeatmapTile>(++last_tile_, request.level, row, column, request.cells, form_);
      bytes_ += tile->bytes();
    }
  }
  if (std::ranges::find(levels_, request.level) == levels_.end()) {
    levels_.push_back(request.level);
    std::ranges::stable_sort(levels_, std::greater{}, coarseness);
  }
  reading_ = {};
  begun.id = reading_.id = ++last_id_;
  reading_.asked = std::move(request);
  ++revision_;
  return begun;
}

// Removes the tiles that are farthest from the request.
void HeatmapStore::make_room(const HeatmapRequest& request) {
  const auto texels = static_cast<std::size_t>(request.tiles.count() * kTileSide * kTileSide);
  const std::size_t wanted = form_.bytes_of(texels);
  if (bytes_ + wanted <= most_tile_bytes(form_)) return;
  const bool has_overview = !levels_.empty() && std::ranges::count_if(tiles_, [this](const auto& entry) {
                                                  return entry.first.level == levels_.front();
                                                }) <= kOverviewTiles;
  std::vector<std::pair<std::int64_t, Key>> others;
  for (const auto& [key, tile] : tiles_) {
    if (key.level == request.level && holds(request.tiles, key.row, key.column)) continue;
    if (has_overview && key.level == levels_.front() && key.level != request.level) continue;
    others.emplace_back(distance(key.level, key.row, key.column, request), key);
  }
  std::ranges::sort(others, std::greater{}, &std::pair<std::int64_t, Key>::first);
  for (const auto& [how_far, key] : others) {
    if (bytes_ + wanted <= most_tile_bytes(form_)) break;
    const auto found = tiles_.find(key);
    bytes_ -= found->second->bytes();
    tiles_.erase(found);
  }
  forget_empty_levels();
}

void HeatmapStore::forget_empty_levels() {
  std::erase_if(levels_, [this](const TexelLevel& level) {
    return std::ranges::none_of(tiles_, [&](const auto& entry) { return entry.first.level == level; });
  });
}

const HeatmapTile* HeatmapStore::tile(const TexelLevel& level, std::int64_t row, std::int64_t column) const {
  const auto found = tiles_.find({level, row, column});
  return found == tiles_.end() ? nullptr : found->second.get();
}

NumberRange HeatmapStore::range_of_level(const TexelLevel& level, TexelNumber number) const {
  const auto found = std::ranges::find(ranges_, level, &std::pair<TexelLevel, LevelRanges>::first);
  return found == ranges_.end() ? NumberRange{} : found->second[static_cast<std::size_t>(number)];
}

void HeatmapStore::note_task(std::uint64_t id, std::uint64_t task) {
  if (reading_.id == id) reading_.task = task;
}

void HeatmapStore::take(std::uint64_t id, const core::Texels& part) {
  if (reading_.id != id) return;
  const core::CellWindow window = window_of(reading_.asked.level, reading_.asked.tiles, reading_.asked.cells);
  const auto all_rows = static_cast<std::uint32_t>(window.texel_rows()),
             all_columns = static_cast<std::uint32_t>(window.texel_columns());
  core::Texels whole;
  whole.rect = {0, 0, all_rows, all_columns};
  whole.channels = std::max<std::uint32_t>(form_.channels, 1);
  if (!core::fits(part, whole)) return;
  auto ranges = std::ranges::find(ranges_, reading_.asked.level, &std::pair<TexelLevel, LevelRanges>::first);
  if (ranges == ranges_.end()) ranges = ranges_.insert(ranges_.end(), {reading_.asked.level, {}});
  // Means of a few values spread wider than those of all: once exact ones arrive, the range covers only these.
  const bool first_exact = part.method == core::TexelMethod::exact && std::ranges::none_of(tiles_, [this](const auto& entry) {
                             return entry.first.level == reading_.asked.level && entry.second->exact_texels() > 0;
                           });
  if (first_exact) ranges->second = {};
  const core::TexelRect& at = part.rect;
  const std::uint32_t rows = part.repeats_down ? all_rows : at.rows, columns = part.repeats_across ? all_columns : at.columns;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::size_t from = std::size_t{row % at.rows} * at.columns + column % at.columns;
      put(part, row + (part.repeats_down ? 0 : at.row), column + (part.repeats_across ? 0 : at.column), from, ranges->second);
    }
  }
  ++revision_;
}

// row, column: texel indices within the request.
void HeatmapStore::put(const core::Texels& part, std::uint32_t row, std::uint32_t column, std::size_t from, LevelRanges& ranges) {
  const TileRect& tiles = reading_.asked.tiles;
  const auto found = tiles_.find({reading_.asked.level, tiles.row + row / kTileSide, tiles.column + column / kTileSide});
  if (found == tiles_.end()) return;
  if (form_.channels > 0) return put_image(part, *found->second, row % kTileSide, column % kTileSide, from, ranges);
  const HeatmapTile::Texel texel{part.min[from], part.max[from], part.mean[from], part.flags[from]};
  found->second->put(row % kTileSide, column % kTileSide, texel, part.method);
  for (NumberRange& range : ranges) range.flags |= texel.flags;
  if ((texel.flags & core::kTexelFinite) == 0) return;
  ranges[static_cast<std::size_t>(TexelNumber::farthest)].include(farther_from_0(texel.min, texel.max));
  ranges[static_cast<std::size_t>(TexelNumber::min)].include(texel.min);
  ranges[static_cast<std::size_t>(TexelNumber::max)].include(texel.max);
  ranges[static_cast<std::size_t>(TexelNumber::mean)].include(texel.mean);
}

void HeatmapStore::put_image(const core::Texels& part, HeatmapTile& tile, std::uint32_t row, std::uint32_t column,
                             std::size_t from, LevelRanges& ranges) {
  std::array<double, core::kMaxChannels> means{};
  NumberRange& range = ranges[static_cast<std::size_t>(TexelNumber::mean)];
  std::uint8_t flags = 0;
  for (std::size_t c = 0; c < form_.channels; ++c) {
    const std::size_t at = c * part.rect.size() + from;
    const bool finite = (part.flags[at] & core::kTexelFinite) != 0;
    means[c] = finite ? part.mean[at] : std::numeric_limits<double>::quiet_NaN();
    if (finite) range.include(part.mean[at]);
    flags |= part.flags[at];
  }
  range.flags |= flags;
  tile.put(row, column, std::span<const double>(means).first(form_.channels), flags, part.method);
}

void HeatmapStore::end(std::uint64_t id, HeatmapReading::Phase how, std::string why) {
  if (reading_.id != id) return;
  reading_.phase = how;
  reading_.why = std::move(why);
  ++revision_;
}

}  // namespace dlscope::app
