#include "core/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace dlscope::core {

namespace {

std::chrono::nanoseconds since_1970(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  MappedFile file;
  file.path_ = path;
  file.file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file.file_ < 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return fail(missing ? ErrorKind::not_found : ErrorKind::environment, std::strerror(errno));
  }
  struct stat facts {};
  if (::fstat(file.file_, &facts) != 0) return fail(ErrorKind::environment, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return fail(ErrorKind::invalid, "it is a folder");
  if (!S_ISREG(facts.st_mode)) return fail(ErrorKind::invalid, "it is not a regular file");
  file.size_ = static_cast<std::uint64_t>(facts.st_size);
  file.changed_ = since_1970(facts.st_ctim);
  if (file.size_ == 0) return file;
  file.base_ = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, file.file_, 0);
  if (file.base_ == MAP_FAILED) {
    file.base_ = nullptr;
    return fail(ErrorKind::environment, fmt::format("it cannot be mapped: {}", std::strerror(errno)));
  }
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      changed_(other.changed_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  std::swap(changed_, other.changed_);
  return *this;
}

MappedFile::~MappedFile() {
  if (base_ != nullptr) ::munmap(base_, size_);
  if (file_ >= 0) ::close(file_);
}

Result<FileTimes> MappedFile::times() const {
  struct statx facts {};
  if (::statx(file_, "", AT_EMPTY_PATH, STATX_CTIME | STATX_BTIME, &facts) != 0)
    return fail(ErrorKind::environment, std::strerror(errno));
  const auto time_of = [](const statx_timestamp& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
  };
  FileTimes times{time_of(facts.stx_ctime), std::nullopt};
  if ((facts.stx_mask & STATX_BTIME) != 0) times.made = time_of(facts.stx_btime);
  return times;
}

SinceOpened MappedFile::since_opened() const {
  struct stat now {};
  if (::fstat(file_, &now) != 0) return SinceOpened::changed;
  if (static_cast<std::uint64_t>(now.st_size) < size_) return SinceOpened::shortened;
  struct stat named {};
  if (::stat(path_.c_str(), &named) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return SinceOpened::removed;  // which sets the time as well
  } else if (named.st_ino != now.st_ino || named.st_dev != now.st_dev) {
    return SinceOpened::replaced;
  }
  return since_1970(now.st_ctim) == changed_ ? SinceOpened::unchanged : SinceOpened::changed;
}

Result<void> MappedFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset) return fail(ErrorKind::invalid, "it ends too early");
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorKind::environment, std::strerror(errno));
    if (got == 0) return fail(ErrorKind::invalid, "it became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
  return {};
}

Result<std::vector<std::byte>> MappedFile::read(std::uint64_t offset, std::uint64_t size) const {
  if (offset > size_ || size > size_ - offset) return fail(ErrorKind::invalid, "it ends too early");  // before allocating
  std::vector<std::byte> bytes(size);
  if (const auto done = read(offset, std::span(bytes)); !done) return std::unexpected(done.error());
  return bytes;
}

Result<UnpackedMemory> UnpackedMemory::create(std::uint64_t size) {
  UnpackedMemory memory;
  memory.base_ = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory.base_ == MAP_FAILED) {
    memory.base_ = nullptr;
    return fail(ErrorKind::environment, fmt::format("{} bytes of memory: {}", size, std::strerror(errno)));
  }
  memory.size_ = size;
  return memory;
}

UnpackedMemory::UnpackedMemory(UnpackedMemory&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}

UnpackedMemory::~UnpackedMemory() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

}  // namespace dlscope::core
