// What the bytes of a remembered tensor say between two moments, and at one of them. thread: a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"
#include "core/compare/comparison.h"

namespace dlscope::app {

// Of a tensor that was remembered at both moments.
struct BytesCompared {
  enum class Result : std::uint8_t { unknown, same, changed };
  Result result = Result::unknown;  // unknown: not remembered at both, or of another dtype or shape
  std::string message;              // of changed: "its bytes changed: 12 of 4096 elements, first at [3, 7]"
  std::optional<std::uint64_t> first;  // C-order number of the first element with other bits; none: not known
};
[[nodiscard]] BytesCompared compare_bytes(const core::SnapshotPtr& before, const RememberedMomentPtr& kept_before,
                                          std::uint32_t was, const core::SnapshotPtr& now, const RememberedMomentPtr& kept_now,
                                          std::uint32_t is);

// NaN and infinities among the remembered values; method none where they cannot be counted.
[[nodiscard]] core::ValueSummary count_specials(const core::SnapshotPtr& snapshot, const RememberedMomentPtr& kept,
                                                std::uint32_t tensor);
// The first NaN, by its C-order number.
[[nodiscard]] std::optional<std::uint64_t> first_nan(const core::SnapshotPtr& snapshot, const RememberedMomentPtr& kept,
                                                     std::uint32_t tensor);
// "3 NaN, 1 Inf"; "no NaN, no Inf".
[[nodiscard]] std::string specials_text(const core::ValueSummary& values);
// One value as it was then, "1.5"; "" where it is not known.
[[nodiscard]] std::string value_text(const core::Snapshot& snapshot, const RememberedMomentPtr& kept, std::uint32_t tensor,
                                     std::uint64_t element);

}  // namespace dlscope::app
