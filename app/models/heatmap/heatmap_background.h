// The overview of a large table, read exactly in the background: while a view stays a sample, all values are read once for the
// coarsest level, piece by piece, so that a lone NaN is marked without being asked for. No I/O.
#pragma once

#include <cstdint>
#include <optional>

#include "app/models/heatmap/heatmap_window.h"

namespace dlscope::app {

// Tables of more values than a view reads by itself, but at most so many. None of a device's memory, which comes across the bus.
[[nodiscard]] std::uint64_t most_in_background(const core::TensorRecord& tensor);

// The next piece, when next_request() has nothing to ask for. It has a larger most_exact than the subject's, so that next_request()
// knows it: what the view needs next replaces it. nullopt: nothing is missing, something is being read, or the last piece failed.
[[nodiscard]] std::optional<HeatmapRequest> next_in_background(const HeatmapStore& store, const HeatmapCamera& camera,
                                                               const HeatmapSubject& subject, std::uint64_t most);

// Whether all of it was read: then every NaN and infinity of the table is drawn, also where the view is a sample.
[[nodiscard]] bool is_overview_exact(const HeatmapStore& store, const core::CellCounts& cells);

}  // namespace dlscope::app
