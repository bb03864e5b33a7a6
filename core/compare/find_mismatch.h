// FindMismatchTask: finds the next, or the previous, element in C order at which two tensors of equal shape differ. At the last
// element the search wraps around to the first. Several threads search; the answer does not depend on their number or timing.
// thread: one at a time; it starts threads of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "core/compare/cell_block.h"
#include "core/compare/pair_differences.h"
#include "core/compare/snapshot_comparison.h"
#include "core/tasks/task.h"

namespace dlscope::core {

class FindMismatchTask final : public Task {
 public:
  // from: an element; nullopt: from the beginning, or from the end. threads: 0: as many as are of use. Fails in words where they
  // have no difference (why_no_difference).
  [[nodiscard]] static Result<std::unique_ptr<FindMismatchTask>> make(const SnapshotTensor& a, const SnapshotTensor& b,
                                                                      std::optional<std::uint64_t> from, bool forward,
                                                                      unsigned threads = 0);

  [[nodiscard]] Result<State> step() override;
  [[nodiscard]] TaskProgress progress() const override;  // elements
  // Once done; nullopt: no two values differ. The element that the search began at is looked at last.
  [[nodiscard]] std::optional<std::uint64_t> found() const { return end_.element; }
  [[nodiscard]] bool wrapped_around() const { return end_.element && end_.block >= blocks_of(ahead_); }

 private:
  // The buffers of one thread.
  struct Worker {
    Worker(const FindMismatchTask& task);
    CellBlock a, b;
    PairDifferences differences;
  };
  // Where the search ends: in the first block, in the order of the search, that holds a difference or cannot be read.
  struct End {
    std::uint64_t block = std::numeric_limits<std::uint64_t>::max();
    std::optional<std::uint64_t> element = {};
    std::optional<Error> error = {};
  };

  FindMismatchTask(SnapshotTensor a, SnapshotTensor b, const ComparedTensor& of_a, const ComparedTensor& of_b);
  [[nodiscard]] static std::uint64_t blocks_of(CellStretch cells);
  [[nodiscard]] CellStretch block_at(std::uint64_t block) const;
  void work(Worker& worker, std::int64_t ends);
  [[nodiscard]] Result<std::optional<std::uint64_t>> search(Worker& worker, CellStretch cells) const;
  [[nodiscard]] std::optional<std::uint64_t> first_unequal(Worker& worker, CellStretch cells) const;
  void end_in(std::uint64_t block, Result<std::optional<std::uint64_t>> found);

  SnapshotTensor kept_a_, kept_b_;
  ComparedTensor of_a_, of_b_;
  CellAxes axes_;
  bool forward_ = true;
  unsigned threads_ = 0;
  std::int64_t elements_ = 0;
  CellStretch ahead_, behind_;  // elements that are searched before wrapping around, and after
  std::uint64_t blocks_ = 0;    // of both
  std::deque<Worker> workers_;
  std::atomic<std::uint64_t> next_ = 0;  // block; taken in order: those in front of a taken one are searched, too
  std::atomic<std::uint64_t> done_ = 0;  // elements
  std::atomic<bool> ended_ = false;
  std::mutex ending_;
  End end_;
};

}  // namespace dlscope::core
