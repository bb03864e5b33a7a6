// What a headless run prints for people: the tensors, and who shares bytes with whom. Plain text, aligned.
#pragma once

#include <cstddef>
#include <string>

#include "core/inventory/proof.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

inline constexpr std::size_t kMostRows = 60;  // of each table; the rest is counted, the report has all

[[nodiscard]] std::string tensor_table(const core::Snapshot& snapshot, std::size_t most_rows = kMostRows);
[[nodiscard]] std::string sharing_table(const core::Snapshot& snapshot, std::size_t most_rows = kMostRows);

// Step by step: the verdict, where both lie, what they share, the probe, why.
[[nodiscard]] std::string proof_table(const core::Proof& proof, std::size_t most_rows = kMostRows);

// What the values of the tensors are, of those that have statistics.
[[nodiscard]] std::string statistics_table(const core::Snapshot& snapshot, std::size_t most_rows = kMostRows);

}  // namespace dlscope::app
