// The relation of two tensors in sentences: the fact, then its consequence.
#pragma once

#include <cstdint>
#include <string>

#include "core/inventory/snapshot.h"

namespace dlscope::app {

// The pair as seen from tensor `self` (one of the two): "“y” is the transpose of “x”: the same 48 bytes, rows and columns swapped."
[[nodiscard]] std::string relation_sentence(const core::Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t self);

// What writing to one does to the other; "" when no byte is shared, or that is unknown.
[[nodiscard]] std::string consequence_sentence(const core::Snapshot& snapshot, const core::PairRecord& pair, std::uint32_t self);

// How the verdict was reached: "Exact: decided by comparing the two layouts."; "" when nothing was decided. Not called exact
// where the device that one of the two claims is contradicted.
[[nodiscard]] std::string method_sentence(const core::Snapshot& snapshot, const core::PairRecord& pair);

[[nodiscard]] inline std::uint32_t partner_of(const core::PairRecord& pair, std::uint32_t self) {
  return pair.a == self ? pair.b : pair.a;
}
[[nodiscard]] inline bool shares_bytes(const core::PairRecord& pair) {
  return pair.shared_bytes != core::kUnknown64 && pair.shared_bytes > 0;
}

}  // namespace dlscope::app
