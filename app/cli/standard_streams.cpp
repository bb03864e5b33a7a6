#include "app/cli/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/cli/plain_text.h"

namespace dlscope::app {

using core::ErrorKind;
using core::fail;
using core::Result;

StandardStreams take_standard_streams() {
  ::signal(SIGPIPE, SIG_IGN);
  // A parent may have set it to ignored, and then no child can be waited for.
  ::signal(SIGCHLD, SIG_DFL);
  StandardStreams streams;
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    if (fd == 1) streams.output_open = false;
    // Lowest free number: those below are open by now.
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
  return streams;
}

Result<void> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // somebody who shares the stream made it non-blocking
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return fail(errno == EPIPE ? ErrorKind::cancelled : ErrorKind::environment, std::strerror(errno));
    }
  }
  return {};
}

void say(std::string_view text) {
  const std::string line = "dlscope: " + plain_text(text) + "\n";
  [[maybe_unused]] const auto written = write_all(STDERR_FILENO, line);
}

}  // namespace dlscope::app
