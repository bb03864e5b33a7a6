#include "app/models/heatmap/heatmap_words.h"

#include <fmt/format.h>

#include "app/models/statistics/statistics_words.h"
#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

std::string stretch_words(const char* one, const char* many, std::int64_t from, std::int64_t count) {
  if (count == 1) return fmt::format("{} {}", one, from);
  return fmt::format("{} {} to {}", many, from, from + count - 1);
}

}  // namespace

std::string why_no_heatmap(const core::Snapshot& snapshot, const core::TensorRecord& tensor) {
  if (tensor.has_layout && tensor.elements == 0)
    return fmt::format("It has no elements: its shape is {}.", tuple_text(snapshot.shape(tensor)));
  return why_no_statistics(snapshot, tensor);
}

HeatmapCoverage coverage(const HeatmapPicture& picture, std::uint64_t values) {
  const std::size_t texels = picture.texels.flags.size();
  if (picture.is_exact()) {
    const char* const which = picture.asked.whole ? "" : " in view";
    return {values == 1 ? "computed on its one value" : fmt::format("computed on all {} values{}", grouped(values), which),
            "Every value was read. A NaN or an infinity is drawn wherever one is, however many values a pixel stands for.",
            false};
  }
  const bool reading = picture.computing() && picture.exact > 0;
  return {reading ? fmt::format("sample; {} % computed on all values", picture.exact * 100 / texels)
                  : "sample: a few values of each pixel",
          "Of each pixel's values a few were read, always the same ones. Extremes lie further out, and a lone NaN may be "
          "missing: reading "
          "all values finds it.",
          true};
}

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

std::string texel_words(const HeatmapPicture& picture, std::int64_t row, std::int64_t column) {
  const core::CellWindow& w = picture.asked.window;
  if (row < w.row || row >= w.row + w.rows || column < w.column || column >= w.column + w.columns) return {};
  const std::int64_t i = (row - w.row) / w.row_step, k = (column - w.column) / w.column_step;
  const std::size_t texel = static_cast<std::size_t>(i) * picture.texels.rect.columns + static_cast<std::size_t>(k);
  const core::Texels& t = picture.texels;
  const std::uint8_t flags = t.flags[texel];
  if (flags == 0) return {};
  const std::int64_t rows = std::min(w.row_step, w.rows - i * w.row_step),
                     columns = std::min(w.column_step, w.columns - k * w.column_step);
  std::string out = stretch_words("row", "rows", w.row + i * w.row_step, rows) + ", " +
                    stretch_words("column", "columns", w.column + k * w.column_step, columns);
  if ((flags & core::kTexelFinite) != 0) {
    if (t.least[texel] == t.greatest[texel])
      out += "\n" + short_number(t.mean[texel]);
    else
      out += fmt::format("\nmin {}   mean {}   max {}", short_number(t.least[texel]), short_number(t.mean[texel]),
                         short_number(t.greatest[texel]));
  }
  if ((flags & core::kTexelNan) != 0) out += "\nNaN is among them";
  if ((flags & core::kTexelPosInf) != 0) out += "\n+inf is among them";
  if ((flags & core::kTexelNegInf) != 0) out += "\n-inf is among them";
  if ((flags & core::kTexelUnread) != 0) out += "\nThis memory could not be read.";
  return out;
}

}  // namespace dlscope::app
