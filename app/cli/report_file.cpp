#include "app/cli/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace dlscope::app {

namespace fs = std::filesystem;
using core::ErrorKind;
using core::fail;
using core::JsonSink;
using core::Result;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr mode_t kFileMode = 0666;

std::unexpected<core::Error> refuse(const std::string& path, const std::string& why) {
  return fail(ErrorKind::environment, path + " cannot be written: " + why);
}

std::string error_words() { return std::strerror(errno); }

// Collects small pieces, so that a report is not written key by key. Remembers the first failure.
class BufferedWriter {
 public:
  explicit BufferedWriter(int fd) : fd_(fd) {}

  bool take(std::string_view text) {
    buffer_ += text;
    return buffer_.size() < kBufferBytes || flush();
  }
  bool flush() {
    if (!error_) {
      auto written = write_all(fd_, buffer_);
      if (!written) error_ = written.error();
    }
    buffer_.clear();
    return !error_;
  }
  [[nodiscard]] const std::optional<core::Error>& error() const { return error_; }

 private:
  int fd_;
  std::string buffer_;
  std::optional<core::Error> error_;
};

Result<void> write_to(int fd, const std::string& name, const std::function<bool(const JsonSink&)>& produce) {
  BufferedWriter writer(fd);
  const bool complete = produce([&](std::string_view text) { return writer.take(text); });
  const bool flushed = writer.flush();
  if (writer.error()) return refuse(name, writer.error()->message);
  if (!complete || !flushed) return refuse(name, "the report could not be completed");
  return {};
}

// The descriptor a path like /dev/fd/5 stands for. Opening such a path again would start at the file's beginning.
std::optional<int> descriptor_of(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int fd = -1;
    const char* end = path.data() + path.size();
    const auto parsed = std::from_chars(path.data() + folder.size(), end, fd);
    if (parsed.ec == std::errc{} && parsed.ptr == end) return fd;
  }
  return std::nullopt;
}

mode_t creation_mask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

}  // namespace

Result<void> check_writable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return refuse(path, "it is a folder");
    if (::access(path.c_str(), W_OK) != 0) return refuse(path, error_words());
    if (!S_ISREG(status.st_mode)) return {};
  } else if (errno != ENOENT) {
    return refuse(path, error_words());
  }
  const fs::path folder = fs::path{path}.has_parent_path() ? fs::path{path}.parent_path() : fs::path{"."};
  if (path.empty() || !fs::path{path}.has_filename()) return refuse(path, "it names no file");
  std::error_code error;
  if (!fs::is_directory(folder, error)) return refuse(path, "there is no folder " + folder.string());
  // access() answers for the real user and knows nothing of quotas or odd file systems: trying is surer.
  std::string name = (folder / ".dlscope-XXXXXX").string();
  const FileDescriptor probe{::mkostemp(name.data(), O_CLOEXEC)};
  if (!probe) return refuse(path, error_words());
  ::unlink(name.c_str());
  return {};
}

Result<ReportFile> ReportFile::open(const std::string& path, const StandardStreams& streams) {
  ReportFile file;
  file.name_ = path == "-" ? "standard output" : path;
  std::error_code error;
  if (const auto fd = descriptor_of(path)) {
    if (*fd == STDOUT_FILENO && !streams.output_open) return refuse(file.name_, "it is closed");
    file.stream_.reset(::fcntl(*fd, F_DUPFD_CLOEXEC, 3));
    if (!file.stream_) return refuse(file.name_, error_words());
    return file;
  }
  if (auto writable = check_writable(path); !writable) return std::unexpected(writable.error());
  if (!fs::exists(path, error) || fs::is_regular_file(path, error)) {
    // Through a link, so that the link stays and its target is replaced.
    const fs::path real = fs::weakly_canonical(path, error);
    file.path_ = error ? fs::absolute(path).string() : real.string();
    return file;
  }
  // A FIFO waits for its reader only when there is something to read; everything else is opened at once.
  if (!fs::is_fifo(path, error)) {
    file.stream_.reset(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!file.stream_) return refuse(path, error_words());
  }
  return file;
}

Result<void> ReportFile::write(const std::function<bool(const JsonSink&)>& produce) {
  if (!path_.empty()) return replace(produce);
  if (!stream_) stream_.reset(::open(name_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!stream_) return refuse(name_, error_words());
  return write_to(stream_.get(), name_, produce);
}

Result<void> ReportFile::replace(const std::function<bool(const JsonSink&)>& produce) const {
  const fs::path target{path_};
  std::string temporary = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
  FileDescriptor fd{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (!fd) return refuse(name_, error_words());
  struct stat status {};
  const mode_t mode = ::stat(path_.c_str(), &status) == 0 ? status.st_mode & 07777 : kFileMode & ~creation_mask();
  ::fchmod(fd.get(), mode);
  auto written = write_to(fd.get(), name_, produce);
  if (written && ::rename(temporary.c_str(), path_.c_str()) != 0) written = refuse(name_, error_words());
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace dlscope::app
