#include "core/compare/find_mismatch.h"

#include <algorithm>
#include <utility>

#include "core/base/clock.h"
#include "core/base/float_environment.h"
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
                                                                 std::optional<std::uint64_t> from, bool forward) {
  const auto first = compared_tensor(a), second = compared_tensor(b);
  if (!first) return std::unexpected(first.error());
  if (!second) return std::unexpected(second.error());
  if (std::string why = why_no_difference(*first, *second); !why.empty()) return fail(ErrorKind::unsupported, std::move(why));
  const auto cells = count_cells(first->layout, in_one_row(first->layout.shape.size()));
  if (!cells) return std::unexpected(cells.error());
  std::unique_ptr<FindMismatchTask> task(new FindMismatchTask(a, b, *first, *second));
  task->forward_ = forward;
  task->elements_ = cells->columns;
  if (!from || *from >= static_cast<std::uint64_t>(cells->columns)) {
    task->ahead_ = {0, cells->columns};
    return task;
  }
  const auto at = static_cast<std::int64_t>(*from);
  const CellStretch above{at + 1, cells->columns - at - 1}, below{0, at};
  task->ahead_ = forward ? above : below;
  task->behind_ = forward ? CellStretch{0, at + 1} : CellStretch{at, cells->columns - at};
  return task;
}

FindMismatchTask::FindMismatchTask(SnapshotTensor a, SnapshotTensor b, const ComparedTensor& of_a, const ComparedTensor& of_b)
    : kept_a_(std::move(a)),
      kept_b_(std::move(b)),
      axes_(in_one_row(of_a.layout.shape.size())),
      a_(of_a, axes_),
      b_(of_b, axes_),
      differences_(of_a.dtype, of_b.dtype, DifferenceKind::unequal) {}

Result<Task::State> FindMismatchTask::step() {
  const DefaultFloatEnvironment environment;
  const std::int64_t ends = monotonic_ns() + kStepNs;
  while (!found_) {
    if (ahead_.count == 0) {
      if (behind_.count == 0) return State::done;
      ahead_ = std::exchange(behind_, {});
      went_round_ = true;
    }
    if (auto read = read_next(); !read) return std::unexpected(read.error());
    if (monotonic_ns() >= ends) return State::more;
  }
  return State::done;
}

Result<void> FindMismatchTask::read_next() {
  const std::int64_t count = std::min(ahead_.count, CellBlock::kMaxValues);
  const CellStretch cells{forward_ ? ahead_.from : ahead_.from + ahead_.count - count, count};
  for (CellBlock* const side : {&a_, &b_}) {
    if (auto read = side->read(true, {0, 1}, cells); !read) return read;
  }
  if (forward_) ahead_.from += count;
  ahead_.count -= count;
  done_ += static_cast<std::uint64_t>(count);
  if (!differences_.same_bits(a_.line(0), b_.line(0), static_cast<std::uint64_t>(count))) look_at(cells);
  return {};
}

void FindMismatchTask::look_at(CellStretch cells) {
  constexpr std::int64_t kEach = SideNumbers::kMaxValues;
  const std::int64_t pieces = (cells.count + kEach - 1) / kEach;
  for (std::int64_t i = 0; i < pieces; ++i) {
    const std::int64_t from = (forward_ ? i : pieces - 1 - i) * kEach, count = std::min(kEach, cells.count - from);
    const auto at = static_cast<std::size_t>(from);
    differences_.work_out(a_.line(0) + at * differences_.bytes_a(), b_.line(0) + at * differences_.bytes_b(),
                          static_cast<std::uint32_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t pair = forward_ ? k : count - 1 - k;
      if (!differences_.unequal(static_cast<std::size_t>(pair))) continue;
      found_ = static_cast<std::uint64_t>(cells.from + from + pair);
      return;
    }
  }
}

TaskProgress FindMismatchTask::progress() const { return {done_, static_cast<std::uint64_t>(elements_)}; }

}  // namespace dlscope::core
