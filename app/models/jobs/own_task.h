// Runs a core::Task in the viewer, on memory that no host reads: that of a tensor file or an off-screen picture.
// thread: the task's own.
#pragma once

#include <functional>
#include <string>

#include "app/models/jobs/task_runner.h"
#include "core/tasks/task.h"

namespace dlscope::app {

// Steps until it has ended, failed (its error) or was cancelled (ErrorKind::cancelled); reports to `progress`. after_step: called
// after every step, also one that failed, because what was found before is shown. The string is empty.
[[nodiscard]] core::Result<std::string> carry_out_task(core::Task& task, TaskProgress& progress,
                                                       const std::function<void()>& after_step = [] {});

}  // namespace dlscope::app
