// A core::Task carried out by the viewer itself, of memory that no host reads: of a file, of a picture.
// thread: the task's own.
#pragma once

#include <functional>
#include <string>

#include "app/models/jobs/task_runner.h"
#include "core/tasks/task.h"

namespace dlscope::app {

// Steps to its end, or until it is cancelled or fails; tells `progress` how far it is.
[[nodiscard]] core::Result<std::string> carry_out_task(core::Task& task, TaskProgress& progress,
                                                       const std::function<void()>& after_step = [] {});

}  // namespace dlscope::app
