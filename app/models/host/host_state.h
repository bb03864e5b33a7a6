// What the host process is doing, in one word.
#pragma once

#include <cstdint>

namespace dlscope::app {

enum class HostState : std::uint8_t {
  absent,   // none was asked for (a picture, a recording)
  finding,  // looking for a Python
  starting,
  idle,
  running,
  scanning,
  stopped,   // inside the user's code, which stands still until it is told to go on
  stopping,  // Stop was asked for; what it was asked for still runs
  ending,    // it was asked to leave by itself
  crashed,   // a fatal signal; its memory may still be there
  ended,     // gone
  failed,    // never became ready; HostSession::detail() says why and what to do
};

// "idle", "running", "crashed": one word for the status bar.
[[nodiscard]] const char* host_state_word(HostState state);

}  // namespace dlscope::app
