#include "app/models/heatmap/heatmap_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/models/heatmap/reversed_axes.h"
#include "app/models/statistics/statistics_text.h"
#include "app/models/text/format.h"
#include "core/inventory/field_view.h"
#include "core/inventory/tensor_numbers.h"

namespace dlscope::app {
namespace {

std::string stretch_text(const char* one, const char* many, std::int64_t from, std::int64_t to) {
  if (from == to) return fmt::format("{} {}", one, from);
  return fmt::format("{} {} to {}", many, from, to);
}

}  // namespace

std::string why_no_heatmap(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (tensor.has_layout && tensor.elements == 0)
    return fmt::format("It has no elements: its shape is {}.", tuple_text(snapshot.shape(tensor)));
  return why_no_statistics(snapshot, tensor);
}

std::uint64_t exact_at_once(const core::TensorRecord& tensor) {
  const bool on_device = core::device_memory(tensor.device) == core::DeviceMemory::device;
  return on_device ? kExactAtOnceOfDevice : kExactAtOnce;
}

bool may_be_nan(core::DType dtype) {
  const auto code = static_cast<core::DTypeCode>(dtype.code);
  return code != core::DTypeCode::int_ && code != core::DTypeCode::uint && code != core::DTypeCode::bool_;
}

HeatmapCoverage coverage(const HeatmapKnown& known, std::uint64_t values, bool whole, bool all_looked_at, bool has_nan) {
  if (known.is_exact()) {
    const char* const which = whole ? "" : " in view";
    return {values == 1 ? "computed on its one value" : fmt::format("computed on all {} values{}", grouped(values), which),
            has_nan ? "Every value was read. A NaN or an infinity is drawn wherever one is, however many values a pixel stands for."
                    : "Every value was read.",
            false};
  }
  const std::uint64_t part = known.texels == 0 ? 0 : known.exact_texels * 100 / known.texels;
  if (!has_nan) {
    return {part > 0 ? fmt::format("sample; {} % computed on all values; a lone value may be missing", part)
                     : "sample: a few values of each pixel; a lone value may be missing",
            "Of each pixel's values a few were read, always the same ones. True extremes may lie further out, and what is rare may be "
            "missing: Read all values finds it.",
            true};
  }
  if (all_looked_at) {
    return {part > 0 ? fmt::format("sample; {} % computed on all values; every NaN and infinity marked", part)
                     : "sample: a few values of each pixel; every NaN and infinity marked",
            "Of each pixel's values a few were read, always the same ones. True extremes may lie further out. All values were "
            "read once for a coarser picture: where a NaN or an infinity is, its pixel is drawn over the sample.",
            true};
  }
  return {part > 0 ? fmt::format("sample; {} % computed on all values; a lone NaN may be missing", part)
                   : "sample: a few values of each pixel; a lone NaN may be missing",
          "Of each pixel's values a few were read, always the same ones. True extremes may lie further out, and a lone NaN or "
          "infinity may be missing: Read all values finds every one.",
          true};
}

std::string out_of_date_text(HeatmapStore::ReadFrom read, const Moment& now) {
  using ReadFrom = HeatmapStore::ReadFrom;
  const std::string seen = moment_description(now);
  if (read == ReadFrom::nothing) return fmt::format("Not read yet. Seen {}: other data may be there.", seen);
  if (read == ReadFrom::own) return fmt::format("read {}", seen);
  return read == ReadFrom::both ? fmt::format("seen {}; parts of it read since then: other data may be there", seen)
                                : fmt::format("seen {}; read since then: other data may be there", seen);
}

namespace {

struct FoundTexel {
  const HeatmapTile* tile = nullptr;
  std::int64_t row = 0, column = 0;  // within the tile
};

FoundTexel texel_at(const HeatmapStore& store, const TexelLevel& level, std::int64_t row, std::int64_t column) {
  const std::int64_t texel_row = row >> level.down, texel_column = column >> level.across;
  FoundTexel out{store.tile(level, texel_row / kTileSide, texel_column / kTileSide), texel_row % kTileSide,
                 texel_column % kTileSide};
  if (out.tile != nullptr && (out.row >= out.tile->rows() || out.column >= out.tile->columns() ||
                              out.tile->flags(out.tile->index_of(out.row, out.column)) == 0))
    out.tile = nullptr;
  return out;
}

// With every digit: a cell that has no room for them refers to this.
std::string numbers_text(const HeatmapTile& tile, std::size_t at, ChannelOrder order, Digits digits) {
  const auto text = [&](double number) {
    return every_digit(number, digits, tile.width() == NumberWidth::floats ? kExactInFloats : kExactInDoubles);
  };
  if (tile.channels() == 0) {
    const HeatmapTile::Texel t = tile.at(at);
    if (t.min == t.max) return text(t.min);
    return fmt::format("min {}   mean {}   max {}", text(t.min), text(t.mean), text(t.max));
  }
  std::string out = tile.level() == TexelLevel{} ? "" : "mean:  ";
  for (std::size_t c = 0; c < tile.channels(); ++c) {
    const double mean = tile.channel(c, at);
    out += fmt::format("{}{} {}", c == 0 ? "" : "   ", channel_name(tile.channels(), c, order),
                       mean == mean ? text(mean) : "no number");
  }
  return out;
}

}  // namespace

std::vector<std::string> colour_numbers(const ColourScale& scale, core::DType dtype) {
  return short_numbers({scale.low(), scale.value_at(0.5), scale.high()}, digits_of(dtype));
}

std::string dot_text(const TexelLevel& level) {
  if (level == TexelLevel{}) return {};
  return fmt::format("each dot the mean of {} × {} pixels", level.row_step(), level.column_step());
}

std::string texel_text(const HeatmapStore& store, const HeatmapView& view, const core::CellCounts& cells, std::int64_t row,
                       std::int64_t column, ChannelOrder order) {
  FoundTexel found = texel_at(store, view.level, row, column);
  for (std::size_t i = store.levels().size(); found.tile == nullptr && i-- > 0;) {
    const TexelLevel& level = store.levels()[i];
    if (level.down >= view.level.down && level.across >= view.level.across) found = texel_at(store, level, row, column);
  }
  if (found.tile == nullptr) return {};
  const TexelLevel& level = found.tile->level();
  const std::int64_t first_row = row >> level.down << level.down, first_column = column >> level.across << level.across;
  const std::size_t at = found.tile->index_of(found.row, found.column);
  const std::uint8_t flags = found.tile->flags(at);
  const HeatmapRequest& asked = store.reading()->asked;  // there is one where there are tiles
  const auto part = core::part_view(store.snapshot(), asked.tensor, asked.field);  // of a field of records, whose axes it may have
  if (!part) return {};
  const core::LayoutView layout = part->layout();
  const auto row_at = [&](std::int64_t cell) { return number_of_line(layout, asked.axes, asked.axes.down, cell); };
  const auto column_at = [&](std::int64_t cell) { return number_of_line(layout, asked.axes, asked.axes.across, cell); };
  const std::int64_t last_row = std::min(first_row + level.row_step(), cells.rows) - 1,
                     last_column = std::min(first_column + level.column_step(), cells.columns) - 1;
  std::string out = stretch_text("row", "rows", row_at(first_row), row_at(last_row)) + ", " +
                    stretch_text("column", "columns", column_at(first_column), column_at(last_column));
  const Digits digits = digits_of(core::numbers_of(*part->snapshot, part->record()).dtype);
  if ((flags & core::kTexelFinite) != 0) out += "\n" + numbers_text(*found.tile, at, order, digits);
  if ((flags & core::kTexelNan) != 0) out += "\nNaN is among them";
  if ((flags & core::kTexelPosInf) != 0) out += "\n+inf is among them";
  if ((flags & core::kTexelNegInf) != 0) out += "\n-inf is among them";
  if ((flags & core::kTexelUnread) != 0) out += "\nThis memory could not be read.";
  return out;
}

}  // namespace dlscope::app
