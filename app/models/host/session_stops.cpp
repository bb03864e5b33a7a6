// Where the script stands: how a HostSession comes to a stop and leaves it.
#include <algorithm>
#include <utility>

#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/host/stop_text.h"

namespace dlscope::app {
namespace {

// The innermost frame of the user's own code, else the innermost.
std::uint32_t first_user_frame(const core::wire::Stopped& stop) {
  const auto found = std::ranges::find_if(stop.frames, &core::wire::StackFrame::user);
  return found == stop.frames.end() ? 0 : static_cast<std::uint32_t>(found - stop.frames.begin());
}

}  // namespace

StopView HostSession::view_of(core::wire::Stopped stop) {
  StopView view;
  view.frame = first_user_frame(stop);
  view.at = std::move(stop);
  view.place = view.revision = ++stop_revision_;
  return view;
}

void HostSession::leave_stop() {
  if (!stop_) return;
  // Unanswered requests of this stop end with it, because the host works in order; an act tells its own end.
  const auto run = std::ranges::find_if(work_, &Work::is_whole_run);
  work_.erase(std::remove_if(work_.begin(), run, [](const Work& work) { return !work.is_act(); }), run);
  left_stop_ = std::exchange(stop_, std::nullopt);
}

void HostSession::on(session_event::Stopped& event, SessionReaction& out) {
  if (process_ != Process::up) return;
  if (event.stop.reason == core::wire::StopReason::ended) {
    ended_ = view_of(std::move(event.stop));
    ended_run_ = std::max(last_finished_run_, last_finished_nested_);  // what ran last is what its snapshot is of
    out.messages.push_back({Tone::plain, stop_sentence(*ended_), true});
    return;
  }
  leave_stop();
  left_scans_ = 0;
  paused_run_ = 0;
  // The host works in order: what was still awaited in front of the run is over when the script stands.
  const auto run = std::ranges::find_if(work_, &Work::is_run);
  if (run == work_.end()) return;
  work_.erase(work_.begin(), run);
  stop_ = view_of(std::move(event.stop));
  left_stop_.reset();
  timeline_.stopped();
  work_.push_front({.id = kScanOfRun});  // the host scans at every stop by itself
  out.messages.push_back({Tone::plain, stop_sentence(*stop_), true});
}

void HostSession::on(const session_event::Resumed& event, SessionReaction&) {
  if (!stop_ || stop_->at.stop != event.stop) return;
  leave_stop();
  timeline_.resumed();
}

}  // namespace dlscope::app
