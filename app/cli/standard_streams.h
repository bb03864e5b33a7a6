// The standard streams we were started with. A descriptor that was closed is opened on /dev/null, so that no file of
// ours, or of the host, ever gets the number of a stream.
#pragma once

#include <string_view>

namespace dlscope::app {

struct StandardStreams {
  bool output_open = true;
};

// Call first in main(). Also ignores SIGPIPE and SIGXFSZ: a reader that went away or a file that may not grow is
// an answer of write(), not our end. Processes that are started get the defaults back.
[[nodiscard]] StandardStreams take_standard_streams();

// One line "dlscope: ..." on standard error; text is made plain. Nothing can be done when that fails.
void say(std::string_view text);

}  // namespace dlscope::app
