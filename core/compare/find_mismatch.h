// FindMismatchTask: the next element at which two tensors of one shape differ, or the one before, in the order of the indices. At the end
// it goes on from the other one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/compare/cell_block.h"
#include "core/compare/pair_differences.h"
#include "core/compare/snapshot_comparison.h"
#include "core/tasks/task.h"

namespace dlscope::core {

class FindMismatchTask final : public Task {
 public:
  // from: an element; nullopt: from the beginning, or from the end. Fails in words where they have no difference (why_no_difference).
  [[nodiscard]] static Result<std::unique_ptr<FindMismatchTask>> make(const SnapshotTensor& a, const SnapshotTensor& b,
                                                                      std::optional<std::uint64_t> from, bool forward);

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // elements
  // Once done; nullopt: no two values differ. The one it began at is found last.
  [[nodiscard]] std::optional<std::uint64_t> found() const { return found_; }
  [[nodiscard]] bool went_round() const { return went_round_; }

 private:
  FindMismatchTask(SnapshotTensor a, SnapshotTensor b, const ComparedTensor& of_a, const ComparedTensor& of_b);
  [[nodiscard]] Result<void> read_next();
  void look_at(CellStretch cells);

  SnapshotTensor kept_a_, kept_b_;
  CellAxes axes_;
  CellBlock a_, b_;
  PairDifferences differences_;
  bool forward_ = true, went_round_ = false;
  std::int64_t elements_ = 0;
  // Elements that are still to be looked at before the end is reached, and after it.
  CellStretch ahead_, behind_;
  std::uint64_t done_ = 0;
  std::optional<std::uint64_t> found_;
};

}  // namespace dlscope::core
