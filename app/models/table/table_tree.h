// The tree view of the tensor table: rows under the branches of their name paths, `net` over `layers` over `[0]`, with how many
// tensors and bytes each branch has. A branch with only one thing in it is written together with that.
#pragma once

#include <stop_token>

#include "app/models/table/table_order.h"

namespace dlscope::app {

// Fills the order's sections and brings its rows, which are filtered and sorted, into the order of the tree. Branches stand where
// the first of their rows stood; sorted by bytes, by their own.
void make_branches(const SnapshotIndex& index, TableOrder& order, const std::stop_token& stop);

// Bytes of memory that some tensors have together, counted once where they share. exact: false where it is an upper bound.
struct MemoryOf {
  std::uint64_t bytes = 0;
  bool exact = true;
};
[[nodiscard]] MemoryOf memory_of(const SnapshotIndex& index, std::span<const std::uint32_t> tensors);

}  // namespace dlscope::app
