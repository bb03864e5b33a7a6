#include "app/models/host/console_hint.h"

namespace dlscope::app {

bool console_needs_restart(const HostSession& host) {
  return host.state() == HostState::crashed || host.state() == HostState::ended;
}

std::array<std::string, 3> console_frame_hint(const HostSession& host) {
  const StopView* const frames = host.frames();
  if (frames == nullptr || frames->chosen() == nullptr) return {};
  const std::string& function = frames->chosen()->function;
  const std::string in = function == "<module>" ? "Python, at module level" : "Python, in " + function;
  if (frames == host.stop()) return {in, "Python, at the stop", "Python"};
  return {in + ", where the script ended: its names. \"Let go\" in the Stack leaves it", in + ", where the script ended", in};
}

std::array<std::string_view, 3> console_hint(const HostSession& host) {
  if (host.state() == HostState::absent) return {"There is no Python here", "No Python here", "No Python"};
  if (console_needs_restart(host))
    return {"Python has ended; a line runs once it is restarted", "Python has ended", "Ended"};
  if (!host.alive() && host.state() != HostState::finding)
    return {"A new Python starts, without any names", "A new Python starts", "Python"};
  const bool recorded = host.runs() == 0 && host.outcome().outcome != core::Outcome::not_run;
  if (!recorded && host.next_run() == host.first_run_of_process())
    return {"Python; nothing has run in it yet", "Nothing has run yet", "Python"};
  // An earlier line may be all that has run in this Python: its names need not be the script's.
  if (host.last_run_kind() == RunKind::console) return {"Python, with the names that are left", "Python, with its names", "Python"};
  return {"Python, with the names the script left", "Python, with its names", "Python"};
}

}  // namespace dlscope::app
