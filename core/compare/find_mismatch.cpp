#include "core/compare/find_mismatch.h"

#include <algorithm>
#include <utility>

#include "core/base/clock.h"
#include "core/base/float_environment.h"
#include "core/base/workers.h"
#include "core/compare/difference_task.h"

namespace dlscope::core {
namespace {

// All elements as one row of cells, in the order of their indices.
CellAxes in_one_row(std::size_t rank) {
  CellAxes axes;
  axes.at.resize(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) axes.across.push_back(static_cast<std::uint8_t>(axis));
  return axes;
}

}  // namespace

Result<std::unique_ptr<FindMismatchTask>> FindMismatchTask::make(const SnapshotTensor& a, const SnapshotTensor& b,
                                                                 std::optional<std::uint64_t> from, bool forward,
                                                                 unsigned threads) {
  const auto first = compared_tensor(a), second = compared_tensor(b);
  if (!first) return std::unexpected(first.error());
  if (!second) return std::unexpected(second.error());
  if (std::string why = why_no_difference(*first, *second); !why.empty()) return fail(ErrorKind::unsupported, std::move(why));
  const auto cells = count_cells(first->layout, in_one_row(first->layout.shape.size()));
  if (!cells) return std::unexpected(cells.error());
  std::unique_ptr<FindMismatchTask> task(new FindMismatchTask(a, b, *first, *second));
  task->forward_ = forward;
  task->threads_ = threads;
  task->elements_ = cells->columns;
  task->ahead_ = {0, cells->columns};
  if (from && *from < static_cast<std::uint64_t>(cells->columns)) {
    const auto at = static_cast<std::int64_t>(*from);
    const CellStretch above{at + 1, cells->columns - at - 1}, below{0, at};
    task->ahead_ = forward ? above : below;
    task->behind_ = forward ? CellStretch{0, at + 1} : CellStretch{at, cells->columns - at};
  }
  task->blocks_ = blocks_of(task->ahead_) + blocks_of(task->behind_);
  return task;
}

FindMismatchTask::FindMismatchTask(SnapshotTensor a, SnapshotTensor b, const ComparedTensor& of_a, const ComparedTensor& of_b)
    : kept_a_(std::move(a)),
      kept_b_(std::move(b)),
      of_a_(of_a),
      of_b_(of_b),
      axes_(in_one_row(of_a.layout.shape.size())) {}

FindMismatchTask::Worker::Worker(const FindMismatchTask& task)
    : a(task.of_a_, task.axes_),
      b(task.of_b_, task.axes_),
      differences(task.of_a_.dtype, task.of_b_.dtype, DifferenceKind::unequal) {}

std::uint64_t FindMismatchTask::blocks_of(CellStretch cells) {
  return static_cast<std::uint64_t>((cells.count + CellBlock::kMaxValues - 1) / CellBlock::kMaxValues);
}

CellStretch FindMismatchTask::block_at(std::uint64_t block) const {
  const bool is_ahead = block < blocks_of(ahead_);
  const CellStretch& all = is_ahead ? ahead_ : behind_;
  const auto skipped = static_cast<std::int64_t>(is_ahead ? block : block - blocks_of(ahead_)) * CellBlock::kMaxValues;
  const std::int64_t count = std::min(all.count - skipped, CellBlock::kMaxValues);
  return {forward_ ? all.from + skipped : all.from + all.count - skipped - count, count};
}

Result<Task::State> FindMismatchTask::step() {
  const std::int64_t ends = monotonic_ns() + kStepNs;
  const unsigned count = useful_threads(threads_, blocks_);
  while (workers_.size() < count) workers_.emplace_back(*this);
  run_workers(count, [&](std::size_t number) { work(workers_[number], ends); });
  if (end_.error) return std::unexpected(*end_.error);
  return ended_ || next_ >= blocks_ ? State::done : State::more;
}

// Block after block: at least one, however busy the machine is.
void FindMismatchTask::work(Worker& worker, std::int64_t ends) {
  const DefaultFloatEnvironment environment;
  while (!ended_) {
    const std::uint64_t block = next_++;
    if (block >= blocks_) return;
    const CellStretch cells = block_at(block);
    auto found = search(worker, cells);
    done_ += static_cast<std::uint64_t>(cells.count);
    if (!found || *found) return end_in(block, std::move(found));
    if (monotonic_ns() >= ends) return;
  }
}

void FindMismatchTask::end_in(std::uint64_t block, Result<std::optional<std::uint64_t>> found) {
  const std::lock_guard lock(ending_);
  ended_ = true;
  if (block >= end_.block) return;
  end_ = {.block = block};
  if (found)
    end_.element = *found;
  else
    end_.error = found.error();
}

Result<std::optional<std::uint64_t>> FindMismatchTask::search(Worker& worker, CellStretch cells) const {
  for (CellBlock* const side : {&worker.a, &worker.b}) {
    if (auto read = side->read(true, {0, 1}, cells); !read) return std::unexpected(read.error());
  }
  const auto count = static_cast<std::uint64_t>(cells.count);
  if (worker.differences.same_bits(worker.a.line(0), worker.b.line(0), count)) return std::nullopt;
  return first_unequal(worker, cells);
}

std::optional<std::uint64_t> FindMismatchTask::first_unequal(Worker& worker, CellStretch cells) const {
  constexpr std::int64_t kEach = SideNumbers::kMaxValues;
  const std::int64_t pieces = (cells.count + kEach - 1) / kEach;
  PairDifferences& differences = worker.differences;
  for (std::int64_t i = 0; i < pieces; ++i) {
    const std::int64_t from = (forward_ ? i : pieces - 1 - i) * kEach, count = std::min(kEach, cells.count - from);
    const auto at = static_cast<std::size_t>(from);
    differences.work_out(worker.a.line(0) + at * differences.bytes_a(), worker.b.line(0) + at * differences.bytes_b(),
                         static_cast<std::uint32_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t pair = forward_ ? k : count - 1 - k;
      if (differences.unequal(static_cast<std::size_t>(pair))) return static_cast<std::uint64_t>(cells.from + from + pair);
    }
  }
  return std::nullopt;
}

TaskProgress FindMismatchTask::progress() const { return {done_, static_cast<std::uint64_t>(elements_)}; }

}  // namespace dlscope::core
