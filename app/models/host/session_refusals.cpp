// What may be asked of a HostSession in its present state, and why not.
#include <algorithm>

#include "app/models/host/host_session.h"

namespace dlscope::app {

const char* HostSession::run_refusal() const {
  if (process_ == Process::none) return "There is no Python to run it.";
  if (process_ == Process::ending) return "Python is ending. A new one can be started in a moment.";
  if (stop_) return "The script is at a stop. Continue or stop it first.";
  return busy() ? "Something is running already. Stop it first." : nullptr;
}

const char* HostSession::console_refusal() const {
  // A line means the names of the Python that was there: no new one starts for it.
  if (process_ == Process::crashed || process_ == Process::ended)
    return "Python has ended, and its names with it. Restart Python first (Run menu).";
  if (!stop_) return run_refusal();
  return python_rests() ? nullptr : "Something is running already. Stop it first.";
}

// The script may be resumed while the scan of the stop runs: the host handles one after the other.
const char* HostSession::resume_refusal() const {
  if (process_ != Process::up || !stop_) return "The script is not at a stop.";
  if (stop_attempts_ > 0) return "It is being stopped.";
  const bool line_runs = std::ranges::any_of(work_, [](const Work& work) { return work.is_run() && work.nested; });
  return line_runs ? "A line typed at the console is still running." : nullptr;
}

const char* HostSession::run_to_refusal() const { return stop_ ? resume_refusal() : run_refusal(); }

const char* HostSession::pause_refusal() const {
  if (process_ != Process::up || work_.empty() || !work_.front().is_run()) return "Nothing is running.";
  if (stop_) return "The script is already stopped.";
  return stop_attempts_ > 0 ? "It is being stopped." : nullptr;
}

const char* HostSession::stop_refusal() const {
  return (process_ == Process::up && !work_.empty()) || (alive() && question_hangs()) ? nullptr : "Nothing is running.";
}
const char* HostSession::scan_refusal() const {
  return python_rests() ? nullptr : "Python is not idle.";
}
const char* HostSession::kill_refusal() const { return alive() ? nullptr : "There is no Python process."; }

const char* HostSession::restart_refusal() const {
  return process_ == Process::none || process_ == Process::finding ? "There is no Python to restart yet." : nullptr;
}

}  // namespace dlscope::app
