#include "app/host/session_events.h"

#include <variant>

#include "app/models/debug/breakpoint_list.h"

namespace dlscope::app {
namespace {

using Event = std::optional<SessionEvent>;

Event of(const HostReady& ready) { return session_event::Ready{ready.hello.python_version, ready.hello.pid}; }
Event of(const HostRunStarted& start) { return session_event::RunStarted{start.run}; }
Event of(const HostRunFinished& end) { return session_event::RunFinished{end.run, end.outcome}; }
Event of(const HostCrashed& crash) {
  return session_event::Crashed{crash.signal, crash.library, crash.python_stack, crash.facts};
}
Event of(const HostEnded& end) { return session_event::Ended{end.exit_code, end.signal, end.why}; }
Event of(const HostOutput&) { return std::nullopt; }
Event of(const HostScanFinished& end) { return session_event::ScanFinished{end.request}; }
Event of(const HostSnapshot& scan) {
  return scan.snapshot ? Event(session_event::SnapshotCame{scan.snapshot->info.revision}) : std::nullopt;
}
Event of(const HostNotice&) { return std::nullopt; }
Event of(const HostAnswer&) { return std::nullopt; }
Event of(const HostProgress&) { return std::nullopt; }
Event of(const HostPart&) { return std::nullopt; }
Event of(const HostWorkEnded&) { return std::nullopt; }
Event of(const HostLease&) { return std::nullopt; }
// The host names files as the code was compiled with; the window uses full paths.
Event of(const HostAtStop& stop) {
  session_event::Stopped out{stop};
  for (auto& frame : out.stop.frames) {
    if (!frame.path.starts_with('<')) frame.path = source_path(frame.path);
  }
  return out;
}
Event of(const HostResumed& resumed) { return session_event::Resumed{resumed.stop}; }
Event of(const HostWindowsRan&) { return session_event::OtherCodeRan{}; }
Event of(const HostBreakpoints&) { return std::nullopt; }

}  // namespace

Event session_event_of(const HostEvent& event) {
  return std::visit([](const auto& each) { return of(each); }, event);
}

}  // namespace dlscope::app
