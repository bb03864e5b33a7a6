#include "app/models/script/console_history.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/files/file_descriptor.h"
#include "app/files/output_file.h"
#include "app/files/read_file.h"

namespace dlscope::app {
namespace {

constexpr std::size_t kMaxFileBytes = 2u << 20;  // a larger file is rewritten with the entries still wanted

std::string history_file(const std::string& folder) { return folder + "/console-history"; }

}  // namespace

bool ConsoleHistory::add(std::string entry) {
  at_.reset();
  while (!entry.empty() && entry.back() == '\n') entry.pop_back();
  if (entry.find_first_not_of(" \t\n") == std::string::npos || entry.size() > kLongestKept) return false;
  if (!entries_.empty() && entries_.back() == entry) return false;
  entries_.push_back(std::move(entry));
  if (entries_.size() > kMax) entries_.erase(entries_.begin());
  return true;
}

void ConsoleHistory::put_before(std::vector<std::string> older) {
  older.insert(older.end(), entries_.begin(), entries_.end());
  if (at_) *at_ += older.size() - entries_.size();
  if (older.size() > kMax) {
    const std::size_t excess = older.size() - kMax;
    older.erase(older.begin(), older.begin() + static_cast<std::ptrdiff_t>(excess));
    if (at_) *at_ -= std::min(*at_, excess);
  }
  entries_ = std::move(older);
}

std::optional<std::string> ConsoleHistory::older(const std::string& typed) {
  if (!at_) {
    at_ = entries_.size();
    typed_ = typed;
  }
  if (*at_ == 0) return std::nullopt;
  return entries_[--*at_];
}

std::optional<std::string> ConsoleHistory::newer() {
  if (!at_) return std::nullopt;
  if (++*at_ < entries_.size()) return entries_[*at_];
  at_.reset();
  return typed_;
}

std::optional<std::size_t> ConsoleHistory::search(std::string_view words, std::size_t before) const {
  for (std::size_t i = std::min(before, entries_.size()); i-- > 0;) {
    if (entries_[i].find(words) != std::string::npos) return i;
  }
  return std::nullopt;
}

std::string history_line(std::string_view entry) {
  std::string out;
  for (const char c : entry) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '\n';
}

std::vector<std::string> history_entries(std::string_view file) {
  std::vector<std::string> out;
  while (!file.empty()) {
    const std::size_t end = file.find('\n');
    if (end == std::string_view::npos) break;  // an incomplete line: its writer was killed
    std::string entry;
    const std::string_view line = file.substr(0, end);
    file.remove_prefix(end + 1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\\' || i + 1 == line.size()) {
        entry += line[i];
        continue;
      }
      ++i;
      entry += line[i] == 'n' ? '\n' : line[i];
    }
    if (!entry.empty() && entry.size() <= ConsoleHistory::kLongestKept) out.push_back(std::move(entry));
  }
  if (out.size() > ConsoleHistory::kMax) out.erase(out.begin(), out.end() - ConsoleHistory::kMax);
  return out;
}

std::vector<std::string> load_history(const std::string& folder) {
  if (folder.empty()) return {};
  struct stat info {};
  const std::string file = history_file(folder);
  if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) return {};
  const auto text = read_text_file(file);
  return text ? history_entries(*text) : std::vector<std::string>();
}

core::Result<void> append_history(const std::string& folder, const std::string& entry) {
  if (folder.empty()) return {};
  const std::string file = history_file(folder);
  const auto failed = [&] {
    return core::fail(core::ErrorKind::environment, fmt::format("{} cannot be written: {}", file, std::strerror(errno)));
  };
  std::error_code made;
  if (std::filesystem::create_directories(folder, made)) ::chmod(folder.c_str(), 0700);
  const FileDescriptor fd{::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!fd) return failed();
  const std::string line = history_line(entry);
  struct stat info {};
  // One write() call, because several windows may append at once.
  if (::fchmod(fd.get(), 0600) != 0 || ::write(fd.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
      ::fstat(fd.get(), &info) != 0)
    return failed();
  if (static_cast<std::size_t>(info.st_size) <= kMaxFileBytes) return {};
  std::string kept;
  const std::vector<std::string> entries = load_history(folder);
  for (auto it = entries.rbegin(); it != entries.rend() && kept.size() < kMaxFileBytes / 2; ++it)
    kept.insert(0, history_line(*it));
  return write_file(file, kept, NewFile::owner_only);
}

}  // namespace dlscope::app
