#include "app/models/host/recorded_stop.h"

#include <utility>

#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"

namespace dlscope::app {

HostSession recorded_at(const core::wire::Stopped& stop, const std::string& python, const core::RunOutcome& outcome) {
  HostSession session = HostSession::recorded(python, {});
  const auto tell = [&](SessionEvent event) { static_cast<void>(session.apply(std::move(event))); };
  tell(session_event::StartAsked{});
  tell(session_event::PythonFound{python, {}});
  tell(session_event::Ready{});
  tell(session_event::RunAsked{});
  tell(session_event::RunStarted{1});
  if (stop.reason == core::wire::StopReason::ended) tell(session_event::RunFinished{1, outcome});
  tell(session_event::Stopped{stop});
  tell(session_event::ScanFinished{kScanOfRun});
  return session;
}

}  // namespace dlscope::app
