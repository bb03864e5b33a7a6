#include "core/memory/kept_pages.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory/kept_numbers.h"
#include "core/memory/pagemap.h"

namespace dlscope::core {
bool KeptPages::is_kept(int file) const {
  struct stat now {};
  return ::fstat(file, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
}

int KeptPages::open_kept() const {
  constexpr rlim_t kFewDescriptors = 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < kFewDescriptors) return -1;
  const int low = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (low < 0) return -1;
  const int file = ::fcntl(low, F_DUPFD_CLOEXEC, kFirstKeptNumber);
  ::close(low);
  struct stat opened {};
  if (file < 0 || ::fstat(file, &opened) != 0) return -1;
  device_ = opened.st_dev;
  inode_ = opened.st_ino;
  file_ = file;
  return file;
}

// Checked before it is asked, because a read of another file might wait for ever, and afterwards: what another file answered is
// not believed.
bool KeptPages::present(ByteRange range) const {
  if (range.empty()) return true;
  int file = file_;
  if (file >= 0 && is_kept(file)) {
    const Pages pages = pages_in(file, range, kPresent, kPresent);
    if (is_kept(file)) return pages == Pages::all;
  }
  {
    const std::unique_lock lock(opening_, std::try_to_lock);
    if (!lock) return ProcessPages(0).present(range);  // in a forked child its holder may not exist
    const int other = file_;  // opened by another thread meanwhile
    file = other != file && is_kept(other) ? other : open_kept();  // the old number is another file's by now, and stays open
  }
  if (file < 0) return ProcessPages(0).present(range);
  const Pages pages = pages_in(file, range, kPresent, kPresent);
  return pages == Pages::all && is_kept(file);
}

void KeptPages::close_kept() const {
  const int file = file_.exchange(-1);
  if (file >= 0 && is_kept(file)) ::close(file);
}

}  // namespace dlscope::core
