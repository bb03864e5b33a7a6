// Two tests of byte sets that only say yes or no: residues modulo the common divisor of all strides, and a bounded depth-first
// search. For pairs whose common window is too large or too expensive for a bit set.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/sharing/strided_set.h"

namespace dlscope::core {

// True: the sets have no byte in common, because their residues modulo the gcd of all strides differ. False: not known. Both sets
// must be in bytes and not empty.
[[nodiscard]] bool residues_are_disjoint(const StridedSet& a, const StridedSet& b);

// Whether the sets have a byte in common. nullopt: more than `node_limit` nodes
// would be visited, or stopped. Both sets must be in bytes and not empty.
[[nodiscard]] std::optional<bool> search_common_byte(const StridedSet& a, const StridedSet& b, std::uint64_t node_limit,
                                                     const std::stop_token& stop);

}  // namespace dlscope::core
