// What the host process is doing, in one word.
#pragma once

#include <cstdint>

namespace dlscope::app {

enum class HostState : std::uint8_t {
  absent,   // no host is wanted (a picture, a recording)
  finding,  // looking for a Python
  starting,
  idle,
  running,
  scanning,
  acting,    // Python copies, hands over, proves ... what the person asked for; HostSession::act() names it
  stopped,   // the user's code stands at a stop until it is resumed
  stopping,  // Stop was sent; the work still runs
  ending,    // it was asked to exit
  crashed,   // after a fatal signal; its memory may still be readable
  ended,     // the process is gone
  failed,    // never became ready; HostSession::detail() says why and what to do
};

// While a pause that was asked for has not been reached.
inline constexpr const char* kPausing =
    "Asked to pause before the next line of your code. Native code, a library or a wait that runs now has to return first.";

// "idle", "running", "crashed": one word for the status bar.
[[nodiscard]] const char* host_state_word(HostState state);

}  // namespace dlscope::app
