// Selects the tensors of a snapshot whose statistics can be computed, for a SurveyTask over all of them. thread: any.
#pragma once

#include <cstdint>
#include <vector>

#include "core/inventory/snapshot.h"
#include "core/statistics/survey_task.h"

namespace dlscope::core {

// True if the dtype has statistics and the tensor is empty or readable (may_be_read()).
[[nodiscard]] bool has_readable_values(const Snapshot& snapshot, const TensorRecord& tensor);

// The most values of one tensor that are read exactly, about a quarter of an hour's work; tensors with more are left out or
// sampled. Views whose elements overlap may have more values than the machine has bytes.
inline constexpr std::uint64_t kMaxPlaces = std::uint64_t{1} << 40;

// The tensors for a SurveyTask. The items borrow layouts from `snapshot`.
[[nodiscard]] std::vector<SurveyItem> survey_items(const Snapshot& snapshot);

}  // namespace dlscope::core
