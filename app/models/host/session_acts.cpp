// The acts that a HostSession has sent: one after the other with runs and scans, and how Stop ends the one under way.
#include <algorithm>
#include <utility>

#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"

namespace dlscope::app {

// The act ends, and a run that waits behind it does not begin. A script that stands at a stop goes on standing there.
void HostSession::interrupt_act(SessionReaction& out) {
  out.cancel_act = work_.front().id;
  ++stop_attempts_;
  if (stop_) stopped_at_stop_ = now_;
  const auto waits = std::ranges::find_if(work_, [this](const Work& work) { return work.is_run() && (!stop_ || work.nested); });
  if (waits == work_.end()) return;
  out.interrupt = core::wire::Interrupt{};
  out.interrupt->run = waits->id;
}

void HostSession::on(session_event::ActSent& event, SessionReaction&) {
  if (process_ != Process::up || find_work(WorkKind::act, event.id) != work_.end()) return;
  add_work({.kind_of_work = WorkKind::act, .id = event.id, .title = std::move(event.title)});
}

// One that waited may end before those in front of it: it was cancelled.
void HostSession::on(const session_event::ActEnded& event, SessionReaction&) {
  const auto found = find_work(WorkKind::act, event.id);
  if (found == work_.end()) return;
  if (found == work_.begin()) stop_attempts_ = 0;
  work_.erase(found);
}

}  // namespace dlscope::app
