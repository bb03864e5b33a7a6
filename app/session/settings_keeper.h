// SettingsKeeper: the settings in use; written to their file whenever they differ from what was last written.
// thread: UI; the file is written by a job.
#pragma once

#include <string>

#include "app/models/actions/notices.h"
#include "app/models/jobs/job_pool.h"
#include "app/session/settings.h"

namespace dlscope::app {

class SettingsKeeper {
 public:
  // file "": they are not stored.
  SettingsKeeper(Settings settings, std::string file) : values_(settings), kept_(std::move(settings)), file_(std::move(file)) {}

  [[nodiscard]] const Settings& values() const { return values_; }
  [[nodiscard]] Settings& values() { return values_; }
  [[nodiscard]] bool is_kept() const { return !file_.empty(); }

  void note_recent_file(const std::string& path);
  void note_recent_python(const std::string& path);

  // Starts a job that writes them, if they changed. A failure is reported in `notices`.
  void keep(JobPool& jobs, Notices& notices);
  // Call at the end, when no job runs any more: writes them directly.
  void close();

 private:
  Settings values_, kept_;
  std::string file_;
};

}  // namespace dlscope::app
