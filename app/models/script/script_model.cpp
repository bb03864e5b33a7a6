#include "app/models/script/script_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

std::string reason() { return std::strerror(errno); }

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  ~OpenFile() { close_now(); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int fd() const { return fd_; }
  bool close_now() {
    if (fd_ < 0) return true;
    const bool fine = ::close(fd_) == 0;
    fd_ = -1;
    return fine;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

std::string ScriptModel::title() const {
  if (path.empty()) return "untitled";
  return std::filesystem::path(path).filename().string();
}

void ScriptModel::open(std::string file, std::string content) {
  open(std::move(file), FileText{std::move(content), {}, 0});
  on_disk = OnDisk::not_watched;
}

void ScriptModel::open(std::string file, FileText content) {
  path = std::move(file);
  saved_text = content.text;
  text = std::move(content.text);
  format = std::move(content.format);
  disk_hash = content.hash;
  on_disk = OnDisk::same;
  disk = {};
  said.clear();
  modified = keep_place = save_held = false;
  ++text_revision;
}

void ScriptModel::saved_as(std::string file, std::string content, std::string_view bytes) {
  path = std::move(file);
  disk_hash = content_hash(bytes);
  if (auto written = text_from_bytes(bytes, path)) format = std::move(written->format);
  saved_text = std::move(content);
  on_disk = OnDisk::same;
  disk = {};
  said.clear();
  modified = save_held = false;
}

void ScriptModel::reload() {
  open(path, std::move(disk));
  keep_place = true;
}

std::optional<ErrorMark> error_mark(const core::RunOutcome& outcome) {
  if (!outcome.error || outcome.error->line <= 0) return std::nullopt;
  std::string message = outcome.error->type;
  if (!outcome.error->message.empty()) message += ": " + outcome.error->message;
  return ErrorMark{outcome.error->line, std::move(message)};
}

std::string outcome_sentence(const core::RunOutcome& outcome) {
  switch (outcome.outcome) {
    case core::Outcome::not_run:
      return "Not run yet.";
    case core::Outcome::finished:
      return outcome.exit_code.value_or(0) == 0 ? "Finished." : fmt::format("Left with exit code {}.", *outcome.exit_code);
    case core::Outcome::raised: {
      if (!outcome.error) return "Raised an exception.";
      std::string text = "Raised " + outcome.error->type;
      if (outcome.error->line > 0) text += fmt::format(" in line {}", outcome.error->line);
      if (!outcome.error->message.empty()) text += ": " + shortened(outcome.error->message, 120);
      return text + (text.ends_with('.') ? "" : ".");
    }
    case core::Outcome::interrupted:
      return "Stopped.";
    case core::Outcome::timeout:
      return "Stopped: the time limit was reached.";
    case core::Outcome::crashed: {
      if (!outcome.signal) return "The script's process crashed.";
      const char* name = ::sigabbrev_np(*outcome.signal);
      return fmt::format("The script's process crashed with SIG{}.", name != nullptr ? name : std::to_string(*outcome.signal));
    }
  }
  return {};
}

core::Result<std::string> read_text_file(const std::string& path) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.fd() < 0) return core::fail(core::ErrorKind::not_found, fmt::format("Cannot open {}: {}.", path, reason()));
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return core::fail(core::ErrorKind::invalid, fmt::format("{} is not a file.", path));
  }
  std::string text;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t n = ::read(file.fd(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return core::fail(core::ErrorKind::environment, fmt::format("Cannot read {}: {}.", path, reason()));
    if (n == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(n));
    if (text.size() > kMaxScriptBytes) {
      return core::fail(core::ErrorKind::unsupported,
                        fmt::format("{} is larger than {}: not a script.", path, human_bytes(kMaxScriptBytes)));
    }
  }
  if (text.find('\0') != std::string::npos) {
    return core::fail(core::ErrorKind::invalid, fmt::format("{} holds binary data, not a script.", path));
  }
  return text;
}

core::Result<FileText> read_script_file(const std::string& path) {
  const auto bytes = read_text_file(path);
  if (!bytes) return std::unexpected(bytes.error());
  return text_from_bytes(*bytes, path);
}

core::Result<void> write_text_file(const std::string& path, const std::string& text, unsigned mode) {
  std::error_code ignored;
  const std::filesystem::path real =
      std::filesystem::exists(path, ignored) ? std::filesystem::canonical(path, ignored) : std::filesystem::path(path);
  const std::string target = real.empty() ? path : real.string();
  struct stat info {};
  if (::stat(target.c_str(), &info) == 0) mode = info.st_mode & 07777U;
  const std::string beside = fmt::format("{}.{}.part", target, ::getpid());
  OpenFile file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (file.fd() < 0) return core::fail(core::ErrorKind::environment, fmt::format("Cannot write {}: {}.", path, reason()));
  const bool written =
      ::fchmod(file.fd(), mode) == 0 && write_all(file.fd(), text) && ::fsync(file.fd()) == 0 && file.close_now();
  if (written && ::rename(beside.c_str(), target.c_str()) == 0) return {};
  const std::string why = reason();
  ::unlink(beside.c_str());
  return core::fail(core::ErrorKind::environment, fmt::format("Cannot write {}: {}.", path, why));
}

}  // namespace dlscope::app
