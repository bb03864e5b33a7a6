#include "app/session/settings_keeper.h"

#include <filesystem>
#include <utility>

#include "app/session/merged_settings.h"

namespace dlscope::app {
namespace {

void put_first(std::vector<std::string>& list, const std::string& entry) {
  std::erase(list, entry);
  list.insert(list.begin(), entry);
  if (list.size() > kMaxRecentFiles) list.resize(kMaxRecentFiles);
}

}  // namespace

void SettingsKeeper::note_recent_file(const std::string& path) {
  std::error_code failed;
  const std::string absolute = std::filesystem::absolute(path, failed).lexically_normal().string();
  if (!failed && !path.empty()) put_first(values_.recent_files, absolute);
}

void SettingsKeeper::note_recent_python(const std::string& path) { put_first(values_.recent_pythons, path); }

void SettingsKeeper::keep(JobPool& jobs, Notices& notices) {
  if (file_.empty() || values_ == kept_) return;
  kept_ = values_;
  jobs.post(Lane::files,
            [&notices, file = file_, written = written_, settings = values_](const std::stop_token&) -> JobPool::Apply {
              const auto saved = save_changes(file, *written, settings);
              if (!saved) {
                return [&notices, why = saved.error().message] {
                  notices.add(Tone::warn, "The settings cannot be kept: " + why);
                };
              }
              *written = settings;
              if (saved->empty()) return {};
              return [&notices, said = *saved] { notices.add(Tone::warn, said); };
            },
            {JobKind::settings});
}

void SettingsKeeper::close() {
  if (file_.empty() || values_ == *written_) return;
  kept_ = values_;
  if (save_changes(file_, *written_, values_)) *written_ = values_;
}

}  // namespace dlscope::app
