#include "app/session/unsaved_text.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "app/files/output_file.h"
#include "app/files/read_file.h"

namespace dlscope::app {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "unsaved-";
constexpr std::string_view kSuffix = ".txt";
// The first line names the script; the text follows as it is.
constexpr std::string_view kHeader = "dlscope unsaved text 1 of ";
constexpr std::size_t kMostOffered = 8;

std::optional<pid_t> pid_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  const std::string_view digits = std::string_view(name).substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
  pid_t pid = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  if (failed != std::errc() || end != digits.data() + digits.size() || pid <= 0) return std::nullopt;
  return pid;
}

bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0 || errno == EPERM; }

std::optional<UnsavedText> read_kept(const fs::path& file) {
  // Somebody else's file in our folder is not ours to offer.
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) return std::nullopt;
  auto content = read_text_file(file.string());
  if (!content || !content->starts_with(kHeader)) return std::nullopt;
  const std::size_t line_end = content->find('\n');
  if (line_end == std::string::npos) return std::nullopt;
  return UnsavedText{file.string(), content->substr(kHeader.size(), line_end - kHeader.size()), content->substr(line_end + 1)};
}

}  // namespace

std::string state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') return std::string(state) + "/dlscope";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.local/state/dlscope";
  return {};
}

UnsavedTextStore::UnsavedTextStore(std::string folder, pid_t pid) : folder_(std::move(folder)), pid_(pid) {}

std::string UnsavedTextStore::own_file() const { return fmt::format("{}/{}{}{}", folder_, kPrefix, pid_, kSuffix); }

core::Result<void> UnsavedTextStore::keep(const std::string& script_path, const std::string& text) const {
  if (folder_.empty()) return {};
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed)
    return core::fail(core::ErrorKind::environment, fmt::format("Cannot make the folder {}: {}.", folder_, failed.message()));
  ::chmod(folder_.c_str(), 0700);
  std::string path = script_path;
  std::ranges::replace(path, '\n', ' ');
  return write_file(own_file(), fmt::format("{}{}\n{}", kHeader, path, text), NewFile::owner_only);
}

void UnsavedTextStore::forget() const {
  if (!folder_.empty()) ::unlink(own_file().c_str());
}

std::vector<UnsavedText> UnsavedTextStore::left_behind() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder_, failed); !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const auto pid = pid_of(entry->path().filename().string());
    std::error_code ignored;
    if (pid && *pid != pid_ && !is_alive(*pid)) files.emplace_back(fs::last_write_time(entry->path(), ignored), entry->path());
  }
  std::ranges::sort(files, std::greater<>());
  std::vector<UnsavedText> out;
  for (const auto& [time, file] : files) {
    if (out.size() == kMostOffered) break;
    if (auto kept = read_kept(file)) out.push_back(std::move(*kept));
  }
  return out;
}

void UnsavedTextStore::remove(const UnsavedText& text) { ::unlink(text.file.c_str()); }

}  // namespace dlscope::app
