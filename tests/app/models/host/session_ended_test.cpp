// The session after an exception that ended the script: its frames are there, the run is over, and nothing keeps it from running again.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "app/models/host/host_session.h"
#include "app/models/host/outcome_sentence.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/host/stop_text.h"

namespace dlscope::app {
namespace {

namespace event = session_event;

event::RunAsked run(RunKind kind = RunKind::script) {
  event::RunAsked out;
  out.request.source = "x = 1";
  out.request.fresh_namespace = kind == RunKind::script;
  out.kind = kind;
  return out;
}

event::Stopped ended(std::uint64_t number) {
  event::Stopped out;
  out.stop.stop = number;
  out.stop.reason = core::wire::StopReason::ended;
  out.stop.message = "ValueError: bad";
  out.stop.frames = {{"fetch", "/lib/io.py", 9, false}, {"step", "/train.py", 37, true}, {"<module>", "/train.py", 80, true}};
  return out;
}

event::RunFinished finished(std::uint64_t number, core::Outcome outcome) {
  event::RunFinished out{.run = number, .outcome = {}};
  out.outcome.outcome = outcome;
  return out;
}

struct AfterException {
  HostSession session;
  AfterException() {
    for (SessionEvent each :
         std::vector<SessionEvent>{event::StartAsked{}, event::Ready{}, run(), event::RunStarted{1},
                                   finished(1, core::Outcome::raised), ended(3), event::ScanFinished{kScanOfRun}})
      static_cast<void>(session.apply(std::move(each)));
  }
  SessionReaction apply(SessionEvent each) { return session.apply(std::move(each)); }
};

}  // namespace

TEST_CASE("after an exception the frames are there and the host is idle", "[app][host_session][stops]") {
  AfterException after;
  const HostSession& s = after.session;
  CHECK(s.state() == HostState::idle);
  CHECK(s.stop() == nullptr);
  REQUIRE(s.ended() != nullptr);
  CHECK(s.frames() == s.ended());
  CHECK(s.ended()->frame == 1);  // the innermost of the user's
  CHECK(s.can_run());
  CHECK(s.resume_refusal() != nullptr);
  CHECK(s.pause_refusal() != nullptr);
  CHECK(ended_sentence(s.ended()->at) == "The script ended with ValueError: bad.");
  CHECK(stop_sentence(*s.ended()) == "Ended at train.py:37 in step(), ValueError: bad.");
  core::wire::Stopped with_blank = s.ended()->at;
  with_blank.message = "ValueError: shapes (2,3) (4,) ";  // as NumPy says it
  CHECK(ended_sentence(with_blank) == "The script ended with ValueError: shapes (2,3) (4,).");
  core::RunOutcome raised;
  raised.outcome = core::Outcome::raised;
  raised.error.emplace().type = "ValueError";
  raised.error->message = "shapes (2,3) (4,) ";
  CHECK(outcome_sentence(raised) == "Raised ValueError: shapes (2,3) (4,).");
  core::wire::Stopped of_thread = s.ended()->at;
  of_thread.thread = "worker";  // the script went on
  CHECK(ended_sentence(of_thread) == "The thread worker ended with ValueError: bad.");
}

TEST_CASE("a console line runs in the chosen frame and leaves the outcome alone", "[app][host_session][stops]") {
  AfterException after;
  const std::uint64_t before = after.session.frames()->revision;
  static_cast<void>(after.apply(event::FrameChosen{2}));
  CHECK(after.session.frames()->frame == 2);
  CHECK(after.session.frames()->revision > before);
  const auto out = after.apply(run(RunKind::console));
  REQUIRE(out.runs.size() == 1);
  CHECK(out.runs[0].stop == 3);
  CHECK(out.runs[0].frame == 2);
  CHECK_FALSE(out.clear_notices);
  CHECK(after.session.state() == HostState::running);
  CHECK(after.session.console_refusal() != nullptr);
  const std::uint64_t chosen = after.session.frames()->revision;
  static_cast<void>(after.apply(event::RunStarted{out.runs[0].run}));
  static_cast<void>(after.apply(finished(out.runs[0].run, core::Outcome::raised)));
  static_cast<void>(after.apply(event::ScanFinished{kScanOfRun}));
  CHECK(after.session.state() == HostState::idle);
  CHECK(after.session.outcome().outcome == core::Outcome::raised);  // the script's
  CHECK(after.session.frames()->revision > chosen);                 // watches are evaluated anew
  // A part of the script is no line of the console: it runs in the script's names.
  const auto part = after.apply(run(RunKind::part_of_script));
  REQUIRE(part.runs.size() == 1);
  CHECK(part.runs[0].stop == 0);
  CHECK(after.session.ended() != nullptr);
}

TEST_CASE("the frames go with the next run, with a new exception, on request, and with the process",
          "[app][host_session][stops]") {
  {
    AfterException after;
    CHECK(after.apply(run()).runs.size() == 1);
    CHECK(after.session.frames() == nullptr);
  }
  {
    AfterException after;
    const std::uint64_t before = after.session.frames()->revision;
    static_cast<void>(after.apply(ended(7)));
    CHECK(after.session.ended()->at.stop == 7);
    CHECK(after.session.ended()->revision > before);
  }
  {
    AfterException after;
    const auto out = after.apply(event::ReleaseFramesAsked{});
    CHECK(out.release_frames == 3U);
    CHECK(out.scan.has_value());  // what they held may be gone
    CHECK_FALSE(out.resume.has_value());
    CHECK(after.session.frames() == nullptr);
    CHECK_FALSE(after.apply(event::ReleaseFramesAsked{}).release_frames.has_value());
  }
  for (SessionEvent end :
       std::vector<SessionEvent>{event::Crashed{.signal = 11, .library = {}}, event::Ended{}, event::StartAsked{}}) {
    AfterException after;
    static_cast<void>(after.apply(end));
    CHECK(after.session.frames() == nullptr);
  }
}

TEST_CASE("each stop of a session has a revision of its own, over all runs", "[app][host_session][stops]") {
  AfterException after;
  const std::uint64_t first = after.session.frames()->revision;
  static_cast<void>(after.apply(run()));
  static_cast<void>(after.apply(event::RunStarted{2}));
  event::Stopped stop = ended(4);
  stop.stop.reason = core::wire::StopReason::breakpoint;
  static_cast<void>(after.apply(stop));
  REQUIRE(after.session.stop() != nullptr);
  CHECK(after.session.stop()->revision > first);
}

TEST_CASE("the outcome is told with the run that it is of", "[app][host_session]") {
  HostSession session;
  const auto tell = [&](SessionEvent event) { static_cast<void>(session.apply(std::move(event))); };
  tell(session_event::StartAsked{});
  tell(session_event::Ready{});
  tell(session_event::RunAsked{});
  CHECK(session.outcome_of(1).outcome == core::Outcome::not_run);
  session_event::RunFinished end{.run = 1, .outcome = {}};
  end.outcome.outcome = core::Outcome::finished;
  tell(end);
  CHECK(session.outcome_of(1).outcome == core::Outcome::finished);
  CHECK(session.outcome_of(0).outcome == core::Outcome::not_run);  // of a new process, in which nothing ran
  tell(session_event::ScanFinished{kScanOfRun});
  tell(session_event::RunAsked{});
  CHECK(session.outcome_of(1).outcome == core::Outcome::not_run);  // forgotten: whoever needs it has kept it
  tell(session_event::Crashed{.signal = 11, .library = {}});
  CHECK(session.outcome_of(2).outcome == core::Outcome::crashed);
  CHECK(session.outcome_of(1).outcome == core::Outcome::not_run);
}

}  // namespace dlscope::app
