// Compares the remembered bytes of a tensor between two moments, and describes them at one. thread: a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/models/history/moment_history.h"
#include "app/models/history/remembered_tensors.h"
#include "core/compare/comparison.h"

namespace dlscope::app {

// The result for a tensor that was remembered at both moments.
struct BytesCompared {
  enum class Result : std::uint8_t { unknown, same, changed };
  Result result = Result::unknown;  // unknown: not remembered at both, or of another dtype or shape
  std::string message;              // when changed: "its bytes changed: 12 of 4096 elements, first at [3, 7]"
  std::optional<std::uint64_t> first;  // C-order number of the first element with other bits; nullopt: unknown
};
[[nodiscard]] BytesCompared compare_bytes(const core::SnapshotPtr& before, const RememberedMomentPtr& kept_before,
                                          std::uint32_t was, const core::SnapshotPtr& now, const RememberedMomentPtr& kept_now,
                                          std::uint32_t is);

// Counts NaN and infinities among the remembered values; method none: they cannot be counted.
[[nodiscard]] core::ValueSummary count_specials(const core::SnapshotPtr& snapshot, const RememberedMomentPtr& kept,
                                                std::uint32_t tensor);
// The C-order number of the first NaN; nullopt: none, or unknown.
[[nodiscard]] std::optional<std::uint64_t> first_nan(const core::SnapshotPtr& snapshot, const RememberedMomentPtr& kept,
                                                     std::uint32_t tensor);
// "3 NaN, 1 Inf"; "no NaN, no Inf".
[[nodiscard]] std::string specials_text(const core::ValueSummary& values);
// The remembered value of one element, "1.5"; "": unknown.
[[nodiscard]] std::string value_text(const core::Snapshot& snapshot, const RememberedMomentPtr& kept, std::uint32_t tensor,
                                     std::uint64_t element);

}  // namespace dlscope::app
