#include "app/files/followed_links.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <climits>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "app/files/file_descriptor.h"

namespace dlscope::app {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxLinks = 40;  // as the kernel follows

// What a path names, read through one descriptor: its owner and its target cannot be exchanged between the two questions.
struct Entry {
  bool is_link = false;
  bool is_strangers = false;  // another user's, in a folder where everybody may make files
  std::string leads_to;
};

bool is_strangers(const struct stat& entry, const struct stat& folder) {
  constexpr mode_t kLikeTmp = S_ISVTX | S_IWOTH;
  return (folder.st_mode & kLikeTmp) == kLikeTmp && entry.st_uid != ::geteuid() && entry.st_uid != folder.st_uid;
}

// nullopt: nothing is there, or it cannot be examined.
std::optional<Entry> entry_at(const fs::path& path) {
  const FileDescriptor folder{
      ::open(path.has_parent_path() ? path.parent_path().c_str() : ".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!folder) return std::nullopt;
  const FileDescriptor fd{::openat(folder.get(), path.filename().c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status{}, around{};
  if (!fd || ::fstat(fd.get(), &status) != 0 || ::fstat(folder.get(), &around) != 0) return std::nullopt;
  Entry entry;
  entry.is_link = S_ISLNK(status.st_mode);
  entry.is_strangers = (entry.is_link || S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) && is_strangers(status, around);
  if (entry.is_link) {
    char target[PATH_MAX];
    const ssize_t length = ::readlinkat(fd.get(), "", target, sizeof target);
    if (length <= 0 || static_cast<std::size_t>(length) == sizeof target) return std::nullopt;
    entry.leads_to.assign(target, static_cast<std::size_t>(length));
  }
  return entry;
}

}  // namespace

std::optional<int> descriptor_of(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
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

core::Result<std::string> follow_links(std::string path) {
  for (int links = 0; links < kMaxLinks && !descriptor_of(path); ++links) {
    const auto entry = entry_at(path);
    if (!entry) break;
    if (entry->is_strangers)
      return core::fail(core::ErrorKind::environment, std::string("it is a ") + (entry->is_link ? "link" : "file") +
                                                          " of another user in a folder where everybody may make files");
    if (!entry->is_link) break;
    path = (fs::path(path).parent_path() / entry->leads_to).string();
  }
  return path;
}

}  // namespace dlscope::app
