// What a heat map says in words: what it was computed on, what a place in it stands for. Pure.
#pragma once

#include <string>

#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/tensor_state.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// Why a tensor has no heat map, as a sentence; "" when it has one.
[[nodiscard]] std::string why_no_heatmap(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

// Read without being asked for: that takes well below a second. More is read when somebody says so.
inline constexpr std::uint64_t kExactAtOnce = std::uint64_t{1} << 26;

struct HeatmapCoverage {
  std::string text;     // "computed on all 1 048 576 values", "sample: ..."
  std::string meaning;  // for a tooltip
  bool is_sample = false;
};
// Of a view of which every texel is known. values: that its texels stand for; whole: those are all there are.
[[nodiscard]] HeatmapCoverage coverage(const HeatmapKnown& known, std::uint64_t values, bool whole);

// Of a picture of memory where other data may lie by now: of when it is, and what may have changed since.
[[nodiscard]] std::string out_of_date_text(HeatmapStore::ReadFrom read, const Moment& now);

// A number of a texel or of the legend: six digits at most.
[[nodiscard]] std::string short_number(double value);
// Of the finest texel with that cell that is known and no finer than `view`, several lines; "" where nothing is known of it. order: of an
// image's channels.
[[nodiscard]] std::string texel_text(const HeatmapStore& store, const HeatmapView& view, const core::CellCounts& cells,
                                     std::int64_t row, std::int64_t column, ChannelOrder order = ChannelOrder::rgb);
// "each dot the mean of 4 × 2 pixels"; "" where it is one.
[[nodiscard]] std::string dot_text(const TexelLevel& level);

}  // namespace dlscope::app
