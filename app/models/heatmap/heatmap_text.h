// The texts of a heat map: how much was read, what a place in it stands for. No I/O.
#pragma once

#include <string>
#include <vector>

#include "app/models/heatmap/heatmap_pixels.h"
#include "app/models/heatmap/short_number.h"
#include "app/models/tensors/badges.h"
#include "app/models/tensors/tensor_state.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

// Why a tensor has no heat map, as a sentence; "" when it has one.
[[nodiscard]] std::string why_no_heatmap(const core::Snapshot& snapshot, const core::TensorRecord& tensor);

// At most so many values are read exactly without being asked for (well below a second); beyond that a person has to ask.
inline constexpr std::uint64_t kExactAtOnce = std::uint64_t{1} << 26;
// Of a device's memory far fewer: a heat map's values all come across the bus, beside whatever the program sends there.
inline constexpr std::uint64_t kExactAtOnceOfDevice = std::uint64_t{1} << 22;
[[nodiscard]] std::uint64_t exact_at_once(const core::TensorRecord& tensor);

struct HeatmapCoverage {
  std::string text;     // "computed on all 1 048 576 values", "sample: ..."
  std::string meaning;  // for a tooltip
  bool is_sample = false;
};
// For a view whose texels are all known. values: how many its texels stand for; whole: these are all values of the tensor.
// all_looked_at: is_overview_exact(). has_nan: values of the type may be NaN or infinite (may_be_nan).
[[nodiscard]] HeatmapCoverage coverage(const HeatmapKnown& known, std::uint64_t values, bool whole, bool all_looked_at = false,
                                       bool has_nan = true);
[[nodiscard]] bool may_be_nan(core::DType dtype);

// For a picture of memory that may hold other data now: when it was read, and what may have changed since.
[[nodiscard]] std::string out_of_date_text(HeatmapStore::ReadFrom read, const Moment& now);

// Describes the finest known texel that contains the cell, no finer than `view`, in several lines; "": nothing is known there.
// order: of an image's channels.
[[nodiscard]] std::string texel_text(const HeatmapStore& store, const HeatmapView& view, const core::CellCounts& cells,
                                     std::int64_t row, std::int64_t column, ChannelOrder order = ChannelOrder::rgb);
// The numbers at the low end, in the middle and at the high end of the colours, told apart where they differ.
[[nodiscard]] std::vector<std::string> colour_numbers(const ColourScale& scale, core::DType dtype);
// "each dot the mean of 4 × 2 pixels"; "" when a dot is one pixel.
[[nodiscard]] std::string dot_text(const TexelLevel& level);

}  // namespace dlscope::app
