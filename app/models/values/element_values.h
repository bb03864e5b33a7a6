// Reads the values of a few elements, by their C-order numbers, from the memory of their process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/models/values/value_grid.h"

namespace dlscope::app {

// One cell per element: "?" when it cannot be read, "…" when an element is far wider than a number. The values must be readable
// (why_no_values() is empty), and the elements must exist.
void read_elements(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::MemoryReader& reader,
                   std::span<const std::uint64_t> elements, std::vector<GridCell>& out);

// The cell of one element that was read, or why it could not be.
[[nodiscard]] GridCell cell_of(const core::Snapshot& snapshot, const core::TensorRecord& tensor, const core::ElementBytes& read,
                               std::size_t number, core::SignBits signs);

}  // namespace dlscope::app
