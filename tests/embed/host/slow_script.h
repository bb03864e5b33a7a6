// Scripts with memory whose pages never come: registered with userfaultfd and served by nobody.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

namespace dlscope::tests {

// Whether this user may; else a test of such memory is skipped.
inline bool may_hold_up_pages() {
  const long file = ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) ::close(static_cast<int>(file));
  return file >= 0;
}

// _slow(touched) is 16 pages of doubles; those whose numbers are in `touched` are there, the others never come.
inline std::string with_slow_memory(const std::string& script) {
  return fmt::format(
             "import ctypes, fcntl, mmap, os, struct\n"
             "_fd = ctypes.CDLL(None).syscall({}, os.O_CLOEXEC | os.O_NONBLOCK)\n"
             "fcntl.ioctl(_fd, 0xC018AA3F, bytearray(struct.pack('QQQ', 0xAA, 0, 0)))\n"
             "def _slow(touched):\n"
             "    area = mmap.mmap(-1, 16 * mmap.PAGESIZE)\n"
             "    for page in touched:\n"
             "        area[page * mmap.PAGESIZE] = 1\n"
             "    address = ctypes.addressof(ctypes.c_char.from_buffer(area))\n"
             "    fcntl.ioctl(_fd, 0xC020AA00, bytearray(struct.pack('QQQQ', address, len(area), 1, 0)))\n"
             "    return memoryview(area).cast('d')\n",
             SYS_userfaultfd) +
         script;
}

}  // namespace dlscope::tests
