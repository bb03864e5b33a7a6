// What the window writes beside the script when asked: a report, a picture. As tasks, with progress and Cancel.
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
// write: makes the file.
void save_picture(TaskRunner& tasks, Notices& notices, std::function<core::Result<void>()> write, const std::string& path);

}  // namespace dlscope::app
