// Two tests on byte sets that only say yes or no: residues modulo the common divisor of all strides, and a bounded
// depth-first search. They settle pairs whose joint window would be too large, or too dear, for a bit set.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/sharing/strided_set.h"

namespace dlscope::core {

// True: no byte in common, because the two sets live in different residues modulo gcd(all strides). False: not known.
// Both sets in bytes, not empty.
[[nodiscard]] bool residues_are_disjoint(const StridedSet& a, const StridedSet& b);

// Whether the sets have a byte in common. nullopt: more than `node_limit` nodes, or stopped. Both in bytes, not empty.
[[nodiscard]] std::optional<bool> search_common_byte(const StridedSet& a, const StridedSet& b, std::uint64_t node_limit,
                                                     const std::stop_token& stop);

}  // namespace dlscope::core
