// How many bytes several sets touch together.
#pragma once

#include <cstdint>
#include <span>

#include "core/sharing/prepared_set.h"
#include "core/sharing/work_budget.h"

namespace dlscope::core {

// The number of bytes in the union of the sets, at least one; kUnknownBytes if over budget or stopped. thread: any.
[[nodiscard]] std::uint64_t union_bytes(std::span<const PreparedSet* const> sets, WorkBudget& budget);

}  // namespace dlscope::core
