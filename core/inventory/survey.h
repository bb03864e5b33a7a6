// What statistics of all tensors of a snapshot are made of: those whose values this process can read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/statistics/survey_task.h"

namespace dlscope::core {

// Its elements have a place in memory that can be read (may_be_read()), or there are none, and its dtype has statistics.
[[nodiscard]] bool has_readable_values(const Snapshot& snapshot, const TensorRecord& tensor);

// Views whose elements overlap have more values than the machine has bytes: tensors of more places are left out, or sampled. A quarter
// of an hour's work.
inline constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 40;

// For a SurveyTask; the layouts are those of `snapshot`.
[[nodiscard]] std::vector<SurveyItem> survey_items(const Snapshot& snapshot);

}  // namespace dlscope::core
