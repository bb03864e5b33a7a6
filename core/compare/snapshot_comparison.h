// SnapshotComparison: two tensors of a snapshot, or of two, compared by their bytes as they are stored now. A Task, for the
// host's workers and the viewer's own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/compare/compare.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

struct SnapshotTensor {
  SnapshotPtr snapshot;
  std::uint32_t tensor = 0;
  std::shared_ptr<const MemoryReader> memory;  // reads the process it is of, or what was kept of it
};
// As it is compared: valid as long as snapshot and memory are kept. Fails in words where its bytes cannot be reached.
[[nodiscard]] Result<ComparedTensor> compared_tensor(const SnapshotTensor& one);

// The same of a tensor that is known to have a layout; nothing is checked.
[[nodiscard]] ComparedTensor compared_tensor(const Snapshot& snapshot, const TensorRecord& tensor, const MemoryReader& memory);

class SnapshotComparison final : public Task {
 public:
  // Snapshots and memory are kept as long as the task lives. broadcast: B is repeated to the shape of A, as NumPy does it.
  // Fails in words where the two cannot be compared.
  [[nodiscard]] static Result<std::unique_ptr<SnapshotComparison>> make(SnapshotTensor a, SnapshotTensor b, Tolerance tolerance,
                                                                        bool broadcast);

  [[nodiscard]] Result<State> step() override { return task_->step(); }
  [[nodiscard]] TaskProgress progress() const override { return task_->progress(); }  // bytes of both
  [[nodiscard]] Comparison found() const { return task_->found(); }

 private:
  SnapshotComparison() = default;
  SnapshotTensor a_, b_;
  Layout broadcast_;
  std::optional<CompareTask> task_;
};

}  // namespace dlscope::core
