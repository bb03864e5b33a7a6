// The tree view of the tensor table: rows below the branches of their name paths, `net` above `layers` above `[0]`, with the
// tensors and bytes of each branch. A branch with a single item is merged with that item.
#pragma once

#include <stop_token>

#include "app/models/table/table_order.h"

namespace dlscope::app {

// Fills the order's sections and brings its filtered and sorted rows into tree order. A branch takes the place of its first row;
// sorted by bytes, the place of its own size.
void make_branches(const SnapshotIndex& index, TableOrder& order, const std::stop_token& stop);

// Bytes of memory of some tensors; shared memory counts once. exact: false: an upper bound.
struct MemoryOf {
  std::uint64_t bytes = 0;
  bool exact = true;
};
[[nodiscard]] MemoryOf memory_of(const SnapshotIndex& index, std::span<const std::uint32_t> tensors);

}  // namespace dlscope::app
