#include "app/models/values/value_task.h"

#include "app/models/values/value_summary.h"

namespace dlscope::app {

ValueAnswer carry_out(const ValueTask& task, const core::MemoryReader& reader, const std::stop_token& stop) {
  ValueAnswer answer;
  answer.task = task;
  const core::TensorRecord& tensor = task.snapshot->tensors[task.tensor];
  switch (task.kind) {
    case ValueTaskKind::copy:
      answer.copied =
          copy_cells(ValueGrid(task.snapshot, task.tensor, task.mapping), tensor.dtype, task.range, task.format, reader, stop);
      break;
    case ValueTaskKind::sum:
      answer.sum = summary_of_cells(ValueGrid(task.snapshot, task.tensor, task.mapping), tensor.dtype, task.range, reader, stop);
      break;
    case ValueTaskKind::search:
      answer.found = find_special(*task.snapshot, tensor, task.search, reader, stop);
      break;
  }
  answer.silent = reader.last_answer() == core::MemoryReader::Answer::never;
  return answer;
}

}  // namespace dlscope::app
