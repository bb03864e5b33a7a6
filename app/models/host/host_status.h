// What the host is doing, as the interface shows it, and which actions make sense now.
#pragma once

#include <cstdint>
#include <string>

namespace dlscope::app {

enum class HostState : std::uint8_t {
  absent,   // none was asked for (a picture, a recording)
  finding,  // looking for a Python
  starting,
  idle,
  running,
  scanning,
  stopping,  // Stop was asked for, the script still runs
  crashed,   // a fatal signal; its memory may still be there
  ended,     // gone
  failed,    // never became ready; `detail` says why and what to do
};

struct HostStatus {
  HostState state = HostState::absent;
  std::string python;      // "Python 3.11.7 · .venv"; "" while unknown
  std::string executable;  // full path, for the tooltip
  std::string libraries;   // "numpy 2.4  torch 2.13", of that Python's folders; "" while unknown
  std::string detail;      // why, when crashed, ended or failed
  std::uint64_t runs = 0;  // started so far
  unsigned stop_attempts = 0;
  bool waits_for_line = false;  // the script stands in input(), as far as the system tells
  bool echoes = true;           // false: what is typed is not to be seen (getpass)
  bool asked = false;           // a question of the window's is with Python right now

  [[nodiscard]] bool busy() const {
    return state == HostState::running || state == HostState::scanning || state == HostState::stopping;
  }
  [[nodiscard]] bool alive() const { return busy() || state == HostState::idle || state == HostState::starting; }
  // A run asked for while Python is still coming up waits for it; one asked for when it is gone starts a new one.
  [[nodiscard]] bool can_run() const { return state != HostState::absent && !busy(); }
  [[nodiscard]] bool can_stop() const {
    return state == HostState::running || state == HostState::stopping || (alive() && asked);
  }
  [[nodiscard]] bool can_kill() const { return alive(); }
  [[nodiscard]] bool can_restart() const { return state != HostState::absent && state != HostState::finding; }
};

// "idle", "running", "crashed": one word for the status bar.
[[nodiscard]] const char* host_state_word(HostState state);

}  // namespace dlscope::app
