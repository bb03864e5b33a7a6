#include "app/models/host/act_refusal.h"

namespace dlscope::app {

const char* why_not_acted(const Moment& moment, const HostSession& host) {
  if (const char* const why_not = why_not_asked(moment)) return why_not;
  if (moment.since == Since::ended) return kItsPythonHasEnded;
  switch (host.state()) {
    case HostState::idle:
    case HostState::stopped:
    case HostState::scanning:  // over in a moment
      return nullptr;
    case HostState::acting:  // it waits its turn; behind a run that waits, too, that could be long
      return host.python_rests() ? nullptr : "Python has other work to do first. This can be done afterwards.";
    case HostState::running:
    case HostState::stopping:
      return "Python runs your code. This can be done when the code has ended or is stopped.";
    case HostState::finding:
    case HostState::starting:
      return "Python is starting.";
    case HostState::crashed:
      return "Python crashed: its tensors can be viewed, and nothing else. Restart Python and run the script again.";
    case HostState::ending:
      return "Python is ending. Run the script again.";
    case HostState::absent:
    case HostState::ended:
    case HostState::failed:
      break;
  }
  return "There is no Python process to do it.";
}

}  // namespace dlscope::app
