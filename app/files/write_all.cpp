#include "app/files/write_all.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace dlscope::app {

using core::ErrorKind;

core::Result<void> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // another user of the stream made it non-blocking
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return core::fail(errno == EPIPE ? ErrorKind::cancelled : ErrorKind::environment, std::strerror(errno));
    }
  }
  return {};
}

}  // namespace dlscope::app
