// How many elements of a view reach one byte: 0 in a hole, 1 in an ordinary array, more under broadcasts and sliding windows.
#pragma once

#include <cstdint>
#include <optional>

#include "core/sharing/overlap.h"

namespace dlscope::core {

// Counted exactly, saturating at 2^64 - 1. nullopt: the search gave up after `budget_nodes` steps, which only layouts with
// many interleaving strides need. thread: any; allocates nothing.
[[nodiscard]] std::optional<std::uint64_t> elements_reaching(const MemoryView& view, Address byte,
                                                             std::uint64_t budget_nodes = 100'000);

}  // namespace dlscope::core
