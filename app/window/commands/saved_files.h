// Files the window writes on request besides the script: a report, a picture. Each is a task, with progress and Cancel.
// thread: UI.
#pragma once

#include <string>

#include "app/models/actions/notices.h"
#include "app/models/jobs/task_runner.h"
#include "core/report/report.h"

namespace dlscope::app {

// The snapshot may be null: nothing was scanned.
void save_report(TaskRunner& tasks, Notices& notices, core::ReportInput input, core::SnapshotPtr snapshot,
                 const std::string& path);
// what: as the notice names it, "The proof".
void save_text(TaskRunner& tasks, Notices& notices, const std::string& what, std::string text, const std::string& path);
// write: writes the file; called in the task.
void save_picture(TaskRunner& tasks, Notices& notices, std::function<core::Result<void>()> write, const std::string& path);

}  // namespace dlscope::app
