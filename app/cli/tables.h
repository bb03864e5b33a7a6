// The tables a headless run prints: the tensors, and which of them share bytes. Plain text, aligned.
#pragma once

#include <cstddef>
#include <string>

#include "core/inventory/proof.h"
#include "core/inventory/snapshot.h"

namespace dlscope::app {

inline constexpr std::size_t kMaxRows = 60;  // of each table; the rest is counted, the report has all

[[nodiscard]] std::string tensor_table(const core::Snapshot& snapshot, std::size_t most_rows = kMaxRows);
[[nodiscard]] std::string sharing_table(const core::Snapshot& snapshot, std::size_t most_rows = kMaxRows);

// For each step: the verdict, where both tensors lie, what they share, the probe's result, the reason.
[[nodiscard]] std::string proof_table(const core::Proof& proof, std::size_t most_rows = kMaxRows);
// What the table has no column for: byte ranges, libraries, flags, hashes. "": there is none.
[[nodiscard]] std::string proof_evidence(const core::Proof& proof, std::size_t most_rows = kMaxRows);

// Statistics of the values, of the tensors that have them.
[[nodiscard]] std::string statistics_table(const core::Snapshot& snapshot, std::size_t most_rows = kMaxRows);

}  // namespace dlscope::app
