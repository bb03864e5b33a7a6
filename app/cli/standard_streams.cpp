#include "app/cli/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "app/cli/plain_text.h"
#include "app/files/write_all.h"

namespace dlscope::app {

StandardStreams take_standard_streams() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  // A parent may have set SIGCHLD to ignored; then waiting for a child fails.
  ::signal(SIGCHLD, SIG_DFL);
  StandardStreams streams;
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    if (fd == 1) streams.output_open = false;
    // Gets the lowest free descriptor, which is fd: those below it are open by now.
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
  return streams;
}

void say(std::string_view text) {
  const std::string line = "dlscope: " + plain_text(text) + "\n";
  [[maybe_unused]] const auto written = write_all(STDERR_FILENO, line);
}

}  // namespace dlscope::app
