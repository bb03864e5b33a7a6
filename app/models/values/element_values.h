// The values of a handful of elements, by their C-order numbers, read from the memory of the process that owns them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

// One cell per element, "?" where it cannot be read, "…" where an element is far wider than a number. The tensor's values can be
// shown (ValueGrid::why_not is empty), the elements exist. Costs what is asked for.
void read_elements(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::MemoryReader& reader,
                   std::span<const std::uint64_t> elements, std::vector<GridCell>& out);

// The cell of one element that was read; of one that was not: why.
[[nodiscard]] GridCell cell_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::ElementBytes& read,
                               std::size_t number, SignBits signs);

}  // namespace dlscope::app
