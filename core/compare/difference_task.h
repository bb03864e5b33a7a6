// The picture of a part of A - B, two tensors of one shape, as a task: of each texel the min, max and mean difference of
// its values (pair_differences.h), and with kTexelUnequal whether any of them differ. Neither tensor is copied: both are read
// side by side.
#pragma once

#include <cstdint>
#include <memory>

#include "core/compare/compare.h"
#include "core/compare/difference_kind.h"
#include "core/compare/snapshot_comparison.h"
#include "core/reduce/reduce_task.h"

namespace dlscope::core {

// Why there is no such picture, in words; "" where there is one.
[[nodiscard]] std::string why_no_difference(const ComparedTensor& a, const ComparedTensor& b);

// Pairs that a window stands for, and those of them that an exact picture reads.
[[nodiscard]] WindowValues count_pairs(const TensorValues& a, const TensorValues& b, const CellAxes& axes,
                                       const CellWindow& window);

// What the two lie in, and what reads them, is kept alive by `owner`; both have a source with a reader. Of a window of at most
// `most_exact` pairs every one is read, of a larger one a sample. Fails in words where there is no such picture, where axes or
// window do not fit, or where axes are reduced or hold channels. threads: as of ReduceTask::make().
[[nodiscard]] Result<std::unique_ptr<ReduceTask>> make_difference_task(const ComparedTensor& a, const ComparedTensor& b,
                                                                       const CellAxes& axes, const CellWindow& window,
                                                                       DifferenceKind kind, std::uint64_t most_exact,
                                                                       std::shared_ptr<const void> owner, unsigned threads = 0);
// Of two tensors of a snapshot, or of two.
[[nodiscard]] Result<std::unique_ptr<ReduceTask>> make_difference_task(const SnapshotTensor& a, const SnapshotTensor& b,
                                                                       const CellAxes& axes, const CellWindow& window,
                                                                       DifferenceKind kind, std::uint64_t most_exact);

}  // namespace dlscope::core
