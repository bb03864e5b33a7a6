// SettingsKeeper: the settings in use. What changes of them is written to their file, beside what other windows wrote there.
// thread: UI; the file is written by a job.
#pragma once

#include <memory>
#include <string>

#include "app/models/actions/notices.h"
#include "app/models/jobs/job_pool.h"
#include "app/session/settings.h"

namespace dlscope::app {

class SettingsKeeper {
 public:
  // file "": they are not stored.
  SettingsKeeper(Settings settings, std::string file)
      : values_(settings), kept_(settings), written_(std::make_shared<Settings>(std::move(settings))), file_(std::move(file)) {}

  [[nodiscard]] const Settings& values() const { return values_; }
  [[nodiscard]] Settings& values() { return values_; }
  [[nodiscard]] bool is_kept() const { return !file_.empty(); }

  void note_recent_file(const std::string& path);
  void note_recent_python(const std::string& path);

  // Starts a job that writes what changed, if anything did. A failure is reported in `notices`.
  void keep(JobPool& jobs, Notices& notices);
  // Call at the end, when no job runs any more: writes directly what is not written yet.
  void close();

 private:
  Settings values_, kept_;
  // What of them the file has, read or written: a change that could not be written is written with the next one. Used by the
  // jobs, which run one after another, and by close().
  std::shared_ptr<Settings> written_;
  std::string file_;
};

}  // namespace dlscope::app
