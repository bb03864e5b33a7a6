#include "app/models/values/value_task.h"

#include "app/models/values/value_summary.h"

namespace dlscope::app {

namespace {

ValueGrid grid_of(const ValueTask& task) {
  ValueGrid grid(task.snapshot, task.tensor, task.mapping);
  if (task.as_stored) grid.take_as_stored();
  return grid;
}

}  // namespace

ValueAnswer carry_out(const ValueTask& task, const core::MemoryReader* reader, const std::stop_token& stop) {
  ValueAnswer answer;
  answer.task = task;
  const bool of_kept = task.kept != nullptr && task.kind != ValueTaskKind::search;
  if (!of_kept && reader == nullptr) {
    answer.nobody = true;
    return answer;
  }
  const core::TensorRecord& tensor = task.snapshot->tensors[task.tensor];
  const CellSource source = of_kept ? CellSource(*task.kept) : CellSource(*reader);
  switch (task.kind) {
    case ValueTaskKind::copy:
      answer.copied = copy_cells(grid_of(task), task.range, task.format, source, stop);
      break;
    case ValueTaskKind::sum:
      answer.sum = summary_of_cells(grid_of(task), core::numbers_of(*task.snapshot, tensor), task.range, source, stop);
      break;
    case ValueTaskKind::search:
      answer.found = find_special(*task.snapshot, tensor, task.search, *reader, stop);
      break;
  }
  answer.silent = !of_kept && reader->last_status() == core::MemoryReader::ReadStatus::hung;
  return answer;
}

}  // namespace dlscope::app
