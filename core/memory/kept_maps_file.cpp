#include "core/memory/kept_maps_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "core/memory/kept_numbers.h"

namespace dlscope::core {
namespace {

struct KeptFile {
  int descriptor = -1;
  pid_t opened_by = 0;
  dev_t device = 0;
  ino_t inode = 0;
};
KeptFile kept;  // written once, before there are other threads that read it

// The script may have closed it, and another file may have its number.
bool is_still_ours() {
  struct stat now {};
  return kept.descriptor >= 0 && kept.opened_by == ::getpid() && ::fstat(kept.descriptor, &now) == 0 &&
         now.st_dev == kept.device && now.st_ino == kept.inode;
}

// So high that the script's files have the numbers that they have without us, but no higher than the kernel's usual table reaches:
// every process has one as long as its highest number, and each fork copies it.
int lowest_wanted_number() {
  constexpr rlim_t kBelow = 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<int>(std::min<rlim_t>(std::max(limit.rlim_cur, kBelow) - kBelow, kFirstKeptNumber));
}

}  // namespace

void keep_maps_file_open() {
  const int low = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (low < 0) return;
  const int high = ::fcntl(low, F_DUPFD_CLOEXEC, lowest_wanted_number());
  ::close(low);
  struct stat facts {};
  if (high < 0 || ::fstat(high, &facts) != 0) return;
  kept = {high, ::getpid(), facts.st_dev, facts.st_ino};
}

std::optional<std::string> read_kept_maps_file() {
  if (!is_still_ours()) return std::nullopt;
  static std::mutex reading;  // one position inside the kernel: readers in turns would get torn lines
  const std::lock_guard lock(reading);
  std::string text;
  for (std::size_t used = 0;;) {
    if (text.size() - used < 4096) text.resize(std::max<std::size_t>(text.size() * 2, 64 * 1024));
    const ssize_t got = ::pread(kept.descriptor, text.data() + used, text.size() - used, static_cast<off_t>(used));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    used += static_cast<std::size_t>(got);
    if (got > 0) continue;
    text.resize(used);
    return text;
  }
}

}  // namespace dlscope::core
