#include "app/files/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "app/files/followed_links.h"
#include "app/files/write_all.h"

namespace dlscope::app {

namespace fs = std::filesystem;
using core::ErrorKind;
using core::Result;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr int kMaxNames = 100;
constexpr mode_t kModeBits = 07777;

std::string error_text() { return std::strerror(errno); }

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

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path{"."}; }

// Creates a file of our own in the folder of `target`. The kernel subtracts the umask from `mode` and applies the folder's access
// lists. (Reading the umask ourselves would mean setting it, for all threads.)
FileDescriptor create_beside(const std::string& target, mode_t mode, std::string& path) {
  const fs::path file{target};
  for (int i = 0; i < kMaxNames; ++i) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) return {};
    // Not derived from the target's name, which may already have the maximal length.
    path = (folder_of(file) / fmt::format(".dlscope-{:016x}", number)).string();
    FileDescriptor fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)};
    if (fd || errno != EEXIST) return fd;
  }
  return {};
}

// Copies mode and owner of the file that is about to be replaced, as far as permitted.
bool keep_rights(int fd, const std::string& target) {
  struct stat old {
  }, own{};
  if (::stat(target.c_str(), &old) != 0) return true;  // there is none
  if (::fstat(fd, &own) != 0) return false;
  if (own.st_uid != old.st_uid || own.st_gid != old.st_gid) {
    // We may not give files away: then it becomes ours, in the old group where we are a member of it.
    [[maybe_unused]] const bool kept =
        ::fchown(fd, old.st_uid, old.st_gid) == 0 || ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0;
  }
  return ::fchmod(fd, old.st_mode & kModeBits) == 0;
}

}  // namespace

std::unexpected<core::Error> OutputFile::refuse(const std::string& why) const {
  return core::fail(ErrorKind::environment, name_ + " cannot be written: " + why);
}

Result<void> OutputFile::locate() {
  if (name_.empty()) return refuse("it names no file");
  const auto followed = follow_links(name_);
  if (!followed) return refuse(followed.error().message);
  const std::string& path = *followed;
  if (const auto fd = descriptor_of(path)) {
    stream_.reset(::fcntl(*fd, F_DUPFD_CLOEXEC, 3));
    if (!stream_) return refuse(error_text());
    return {};
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return refuse(error_text());
    if (!fs::path{path}.has_filename()) return refuse("it names no file");
    target_ = path;
  } else if (S_ISLNK(status.st_mode)) {
    return refuse(std::strerror(ELOOP));
  } else if (S_ISDIR(status.st_mode)) {
    return refuse("it is a folder");
  } else {
    (S_ISREG(status.st_mode) ? target_ : stream_path_) = path;
  }
  return {};
}

Result<OutputFile> OutputFile::open(const std::string& path, NewFile mode) {
  OutputFile file{path, mode};
  if (auto located = file.locate(); !located) return std::unexpected(located.error());
  if (file.target_.empty()) {
    // A FIFO waits for its reader only when there is something to read; everything else is opened at once.
    std::error_code error;
    if (!file.stream_path_.empty() && !fs::is_fifo(file.stream_path_, error)) {
      if (auto opened = file.open_stream(NoReader::wait); !opened) return std::unexpected(opened.error());
    }
    return file;
  }
  std::error_code error;
  const fs::path folder = folder_of(file.target_);
  if (!fs::is_directory(folder, error)) return file.refuse("there is no folder " + folder.string());
  if (::access(file.target_.c_str(), W_OK) != 0 && errno != ENOENT) return file.refuse(error_text());
  // access() answers for the real user and does not know about quotas or special file systems: trying is more reliable.
  std::string probe;
  if (!create_beside(file.target_, S_IRUSR | S_IWUSR, probe)) return file.refuse(error_text());
  ::unlink(probe.c_str());
  return file;
}

Result<void> OutputFile::open_stream(NoReader no_reader) {
  const int wait = no_reader == NoReader::wait ? 0 : O_NONBLOCK;
  stream_.reset(::open(stream_path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | wait));
  if (!stream_) return refuse(errno == ENXIO ? "nothing reads from it" : error_text());
  return {};
}

Result<void> OutputFile::fill(int fd, const Produce& produce) const {
  BufferedWriter writer(fd);
  const bool complete = produce([&](std::string_view text) { return writer.take(text); });
  const bool flushed = writer.flush();
  if (writer.error()) return refuse(writer.error()->message);
  if (!complete || !flushed) return refuse("it could not be completed");
  return {};
}

Result<void> OutputFile::write(const Produce& produce) {
  if (!target_.empty()) return replace(produce);
  if (!stream_) {
    if (auto opened = open_stream(NoReader::wait); !opened) return opened;
  }
  auto written = fill(stream_.get(), produce);
  if (::close(stream_.release()) != 0 && written) written = refuse(error_text());  // the reader gets its end of file
  return written;
}

Result<void> OutputFile::replace(const Produce& produce) const {
  std::string beside;
  FileDescriptor fd = create_beside(target_, mode_ == NewFile::owner_only ? 0600 : 0666, beside);
  if (!fd) return refuse(error_text());
  Result<void> written;
  if (!keep_rights(fd.get(), target_)) written = refuse(error_text());
  if (written) written = fill(fd.get(), produce);
  // EINVAL: the file system does not support fsync().
  if (written && ::fsync(fd.get()) != 0 && errno != EINVAL) written = refuse(error_text());
  if (::close(fd.release()) != 0 && written) written = refuse(error_text());
  if (written && ::rename(beside.c_str(), target_.c_str()) != 0) written = refuse(error_text());
  if (!written) ::unlink(beside.c_str());
  return written;
}

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const bool is_there = fs::exists(a, error);
  if (is_there != fs::exists(b, error)) return false;
  if (is_there) return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(follow_links(path).value_or(path), error), error);
  };
  return place(a) == place(b);
}

Result<void> write_file(const std::string& path, std::string_view bytes, NewFile mode, NoReader no_reader) {
  OutputFile file{path, mode};
  if (auto located = file.locate(); !located) return located;
  if (!file.stream_path_.empty()) {
    if (auto opened = file.open_stream(no_reader); !opened) return opened;
  }
  if (!file.target_.empty() && ::access(file.target_.c_str(), W_OK) != 0 && errno != ENOENT) return file.refuse(error_text());
  return file.write([&](const OutputFile::Sink& sink) { return sink(bytes); });
}

}  // namespace dlscope::app
