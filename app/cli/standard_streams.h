// The standard streams we were started with. A closed one is opened on /dev/null, so that no file of ours, or of the host, gets
// the descriptor of a stream.
#pragma once

#include <string_view>

namespace dlscope::app {

struct StandardStreams {
  bool output_open = true;  // false: standard output was closed
};

// Call first in main(). Also ignores SIGPIPE and SIGXFSZ: a closed pipe or a file-size limit makes write() fail (EPIPE, EFBIG)
// instead of killing this process. Child processes get the default actions back.
[[nodiscard]] StandardStreams take_standard_streams();

// Prints one line "dlscope: ..." on standard error, made safe for a terminal. A failure is ignored.
void say(std::string_view text);

}  // namespace dlscope::app
