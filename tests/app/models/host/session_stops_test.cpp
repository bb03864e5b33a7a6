// The session at a stop: what it does there, what may be asked of it, and that no order of messages leaves a wrong state behind.
#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace dlscope::app {
namespace {

using namespace std::chrono_literals;

namespace event = session_event;
using core::wire::ResumeKind;

event::RunAsked run(RunKind kind = RunKind::script) {
  event::RunAsked out;
  out.request.source = "x = 1";
  out.kind = kind;
  return out;
}

event::Stopped stop(std::uint64_t number) {
  event::Stopped out;
  out.stop.stop = number;
  out.stop.frames = {{"fetch", "/lib/io.py", 9, false}, {"step", "/train.py", 37, true}, {"main", "/train.py", 80, true}};
  return out;
}

event::RunFinished finished(std::uint64_t number, core::Outcome outcome = core::Outcome::finished) {
  event::RunFinished out{.run = number, .outcome = {}};
  out.outcome.outcome = outcome;
  return out;
}

struct AtStop {
  HostSession session;
  AtStop() {
    for (SessionEvent each : std::vector<SessionEvent>{event::StartAsked{}, event::Ready{}, run(), event::RunStarted{1}, stop(1),
                                                       event::ScanFinished{kScanOfRun}})
      static_cast<void>(session.apply(std::move(each)));
  }
  SessionReaction apply(SessionEvent each) { return session.apply(std::move(each)); }
};

}  // namespace

TEST_CASE("a pause that was asked for ends with its run", "[app][host_session][stops]") {
  HostSession running;
  for (SessionEvent each : std::vector<SessionEvent>{event::StartAsked{}, event::Ready{}, run(), event::RunStarted{1},
                                                     event::PauseAsked{}})
    static_cast<void>(running.apply(std::move(each)));
  CHECK(running.pausing());
  static_cast<void>(running.apply(finished(1)));
  CHECK_FALSE(running.pausing());
  static_cast<void>(running.apply(event::ScanFinished{kScanOfRun}));
  static_cast<void>(running.apply(run()));
  CHECK_FALSE(running.pausing());
}

TEST_CASE("a stop is looked at first, then it stands", "[app][host_session][stops]") {
  AtStop at;
  HostSession running;
  for (SessionEvent each : std::vector<SessionEvent>{event::StartAsked{}, event::Ready{}, run(), event::RunStarted{1}})
    static_cast<void>(running.apply(std::move(each)));
  CHECK(running.pause_refusal() == nullptr);
  CHECK(running.resume_refusal() != nullptr);
  CHECK_FALSE(running.pausing());
  CHECK(running.apply(event::PauseAsked{}).pause);
  CHECK(running.pausing());  // until the script stands: native code may have to return first
  CHECK(running.pause_refusal() == nullptr);
  static_cast<void>(running.apply(stop(1)));
  CHECK_FALSE(running.pausing());
  CHECK(running.state() == HostState::scanning);
  REQUIRE(running.stop() != nullptr);
  CHECK(running.console_refusal() != nullptr);
  CHECK(running.resume_refusal() == nullptr);  // one need not wait for the look

  const HostSession& s = at.session;
  CHECK(s.state() == HostState::stopped);
  CHECK_FALSE(s.busy());
  CHECK(s.current_run() == 1);
  CHECK_FALSE(s.can_run());
  CHECK(s.can_stop());
  CHECK(s.console_refusal() == nullptr);
  CHECK(s.scan_refusal() == nullptr);
  CHECK(s.pause_refusal() != nullptr);
  CHECK(s.stop()->frame == 1);  // the innermost of the user's
  CHECK(s.stop()->chosen()->function == "step");
}

TEST_CASE("a scan of the stop that was left goes on until the host says that it is over", "[app][host_session][stops]") {
  const auto left = [] {
    HostSession session;
    for (SessionEvent each : std::vector<SessionEvent>{event::StartAsked{}, event::Ready{}, run(), event::RunStarted{1}, stop(1),
                                                       event::ResumeAsked{}})
      static_cast<void>(session.apply(std::move(each)));
    return session;
  };
  const auto goes_on_after = [&](SessionEvent each) {
    HostSession session = left();
    static_cast<void>(session.apply(std::move(each)));
    return session.finishes_scan_of_left_stop();
  };
  CHECK(left().finishes_scan_of_left_stop());
  CHECK(left().state() == HostState::running);
  CHECK_FALSE(goes_on_after(event::ScanFinished{kScanOfRun}));
  CHECK_FALSE(goes_on_after(stop(2)));  // the host works in order
  CHECK_FALSE(goes_on_after(finished(1)));
  CHECK_FALSE(goes_on_after(event::Ended{}));
  AtStop at;  // whose scan is over
  static_cast<void>(at.apply(event::ResumeAsked{}));
  CHECK_FALSE(at.session.finishes_scan_of_left_stop());
}

TEST_CASE("what is asked for at a stop names the stop, and the state is that of code that runs", "[app][host_session][stops]") {
  AtStop at;
  const auto out = at.apply(event::ResumeAsked{ResumeKind::run_to, "/train.py", 50});
  REQUIRE(out.resume.has_value());
  CHECK(out.resume->stop == 1);
  CHECK(out.resume->kind == ResumeKind::run_to);
  CHECK(out.resume->line == 50);
  CHECK(at.session.state() == HostState::running);
  CHECK(at.session.stop() == nullptr);
  REQUIRE(at.session.left_stop() != nullptr);
  CHECK_FALSE(at.apply(event::ResumeAsked{}).resume.has_value());  // twice
  static_cast<void>(at.apply(event::Resumed{1}));
  CHECK(at.session.state() == HostState::running);
  const auto revision = at.session.left_stop()->revision;
  static_cast<void>(at.apply(stop(2)));
  CHECK(at.session.stop()->revision > revision);
  CHECK(at.session.left_stop() == nullptr);
  static_cast<void>(at.apply(event::Resumed{1}));  // late: of the stop before
  CHECK(at.session.stop() != nullptr);
  static_cast<void>(at.apply(event::Resumed{2}));
  CHECK(at.session.stop() == nullptr);
  static_cast<void>(at.apply(finished(1)));
  CHECK(at.session.state() == HostState::scanning);
  CHECK(at.session.left_stop() == nullptr);
}

// A byte may have been written by hand: what was evaluated before is not what it would be now.
TEST_CASE("a requested scan at a stop makes expressions be evaluated anew, at the same place", "[app][host_session][stops]") {
  AtStop at;
  const StopView before = *at.session.stop();
  const auto out = at.apply(event::ScanAsked{});
  REQUIRE(out.scan.has_value());
  CHECK(at.session.stop()->revision == before.revision);
  static_cast<void>(at.apply(event::ScanFinished{*out.scan}));
  CHECK(at.session.state() == HostState::stopped);
  CHECK(at.session.stop()->revision > before.revision);
  CHECK(at.session.stop()->place == before.place);
  const std::uint64_t revision = at.session.stop()->revision;
  static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));  // the host's own
  CHECK(at.session.stop()->revision == revision);
  static_cast<void>(at.apply(event::FrameChosen{2}));
  CHECK(at.session.stop()->place > before.place);
}

TEST_CASE("a request that nobody takes leaves the stop as it was", "[app][host_session][stops]") {
  AtStop at;
  static_cast<void>(at.apply(event::ResumeAsked{}));
  CHECK_FALSE(at.apply(event::ResumeNotTaken{}).messages.empty());
  CHECK(at.session.state() == HostState::stopped);
  static_cast<void>(at.apply(run(RunKind::console)));
  CHECK(at.session.state() == HostState::running);
  static_cast<void>(at.apply(event::RequestNotTaken{}));
  CHECK(at.session.state() == HostState::stopped);
}

TEST_CASE("a line of the console runs in the chosen frame, and how it ends is not how the script ends",
          "[app][host_session][stops]") {
  AtStop at;
  static_cast<void>(at.apply(event::FrameChosen{2}));
  CHECK(at.session.stop()->frame == 2);
  static_cast<void>(at.apply(event::FrameChosen{3}));  // there is none
  CHECK(at.session.stop()->frame == 2);
  const auto revision = at.session.stop()->revision;
  auto out = at.apply(run(RunKind::console));
  REQUIRE(out.runs.size() == 1);
  CHECK(out.runs[0].run == 2);
  CHECK(out.runs[0].stop == 1);
  CHECK(out.runs[0].frame == 2);
  CHECK(at.session.state() == HostState::running);
  CHECK(at.session.busy());
  CHECK(at.session.resume_refusal() != nullptr);
  CHECK(at.session.pause_refusal() != nullptr);
  CHECK(at.session.console_refusal() != nullptr);
  static_cast<void>(at.apply(event::RunStarted{2}));
  out = at.apply(finished(2, core::Outcome::raised));
  CHECK(out.output_note.empty());
  CHECK(at.session.state() == HostState::scanning);
  CHECK(at.session.stop()->revision > revision);
  static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));
  CHECK(at.session.state() == HostState::stopped);
  CHECK(at.session.outcome().outcome == core::Outcome::not_run);
  // Told twice: nothing.
  static_cast<void>(at.apply(finished(2)));
  static_cast<void>(at.apply(event::RunStarted{2}));
  CHECK(at.session.state() == HostState::stopped);
  // The script's own end is still heard, though its number is the lower one.
  static_cast<void>(at.apply(event::ResumeAsked{}));
  static_cast<void>(at.apply(event::Resumed{1}));
  static_cast<void>(at.apply(finished(1, core::Outcome::raised)));
  CHECK(at.session.outcome().outcome == core::Outcome::raised);
  static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));
  CHECK(at.session.state() == HostState::idle);
  CHECK(at.session.next_run() == 3);
}

TEST_CASE("the script as a whole cannot be run at a stop, a look can be asked for", "[app][host_session][stops]") {
  AtStop at;
  CHECK(at.apply(run()).runs.empty());
  const auto out = at.apply(event::ScanAsked{});
  REQUIRE(out.scan.has_value());
  CHECK(at.session.state() == HostState::scanning);
  static_cast<void>(at.apply(event::ScanFinished{*out.scan}));
  CHECK(at.session.state() == HostState::stopped);
}

TEST_CASE("Stop, Restart, a crash and the end of the process end a stop", "[app][host_session][stops]") {
  SECTION("Stop") {
    AtStop at;
    CHECK(at.apply(event::InterruptAsked{}).interrupt);
    CHECK(at.session.state() == HostState::stopping);
    CHECK(at.session.resume_refusal() != nullptr);
    static_cast<void>(at.apply(event::Resumed{1}));
    static_cast<void>(at.apply(finished(1, core::Outcome::interrupted)));
    static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));
    CHECK(at.session.state() == HostState::idle);
    CHECK(at.session.outcome().outcome == core::Outcome::interrupted);
  }
  SECTION("Restart") {
    AtStop at;
    const auto out = at.apply(event::StartAsked{});
    CHECK(out.restart);
    CHECK(at.session.stop() == nullptr);
    CHECK(at.session.state() == HostState::starting);
  }
  SECTION("a crash") {
    AtStop at;
    static_cast<void>(at.apply(event::Crashed{11, {}}));
    CHECK(at.session.stop() == nullptr);
    CHECK(at.session.resume_refusal() != nullptr);
  }
  SECTION("the end") {
    AtStop at;
    const auto out = at.apply(event::Ended{1, {}, {}});
    CHECK(at.session.stop() == nullptr);
    REQUIRE_FALSE(out.messages.empty());
    CHECK_FALSE(out.messages[0].log_only);  // it was not idle
  }
  SECTION("of another process") {
    HostSession session;
    static_cast<void>(session.apply(event::StartAsked{}));
    static_cast<void>(session.apply(stop(1)));
    CHECK(session.stop() == nullptr);
  }
}

TEST_CASE("Stop ends a watch that hangs, and the script goes on standing there", "[app][host_session][stops]") {
  AtStop at;
  const auto asked = HostSession::Clock::now() + 1s;
  at.session.want({.asker = "watches", .ticket = 1, .kind = "evaluate", .text = "{}"});
  at.session.put_questions([](const Question&) { return std::uint64_t{7}; });
  SECTION("it hangs") {
    at.session.advance(asked);
    at.session.advance(asked + 1s);
    const SessionReaction reaction = at.session.apply(event::InterruptAsked{}, asked + 1s);
    REQUIRE(reaction.interrupt);
    CHECK(reaction.interrupt->question == 7);
    CHECK_FALSE(reaction.resume);
    CHECK(at.session.state() == HostState::stopped);
    CHECK(at.session.resume_refusal() == nullptr);  // already: it may swallow the interrupt
    at.session.answer({7, "evaluate", "{}", ""});
    at.session.advance(asked + 2s);
    CHECK(at.session.console_refusal() == nullptr);
    CHECK(at.session.apply(event::InterruptAsked{}, asked + 3s).interrupt);
    CHECK(at.session.state() == HostState::stopping);
  }
  SECTION("a double click is one Stop: the second click comes when the watch has ended") {
    at.session.advance(asked);
    at.session.advance(asked + 1s);
    REQUIRE(at.session.apply(event::InterruptAsked{}, asked + 1s).interrupt);
    at.session.answer({7, "evaluate", "{}", ""});
    const SessionReaction second = at.session.apply(event::InterruptAsked{}, asked + 1200ms);
    CHECK_FALSE(second.interrupt);
    CHECK_FALSE(second.resume);
    CHECK(at.session.state() == HostState::stopped);
  }
  SECTION("it has only just begun: who asks for Stop then means the script") {
    const SessionReaction reaction = at.apply(event::InterruptAsked{});
    CHECK_FALSE(reaction.interrupt);
    REQUIRE(reaction.resume);
    CHECK(reaction.resume->stop == 1);
    CHECK(reaction.resume->kind == ResumeKind::end_script);
    CHECK(at.session.state() == HostState::stopping);
    static_cast<void>(at.apply(event::Resumed{1}));
    static_cast<void>(at.apply(finished(1, core::Outcome::interrupted)));
    static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));
    CHECK(at.session.state() == HostState::idle);
  }
}

TEST_CASE("Stop for console code at a stop is meant for that code", "[app][host_session][stops]") {
  AtStop at;
  const auto asked = HostSession::Clock::now() + 1s;
  const SessionReaction typed = at.session.apply(run(RunKind::console), asked);
  REQUIRE(typed.runs.size() == 1);
  const SessionReaction first = at.session.apply(event::InterruptAsked{}, asked + 1s);
  REQUIRE(first.interrupt);
  CHECK(first.interrupt->run == typed.runs[0].run);
  static_cast<void>(at.session.apply(finished(typed.runs[0].run, core::Outcome::interrupted), asked + 1100ms));
  const SessionReaction second = at.session.apply(event::InterruptAsked{}, asked + 1200ms);
  CHECK_FALSE(second.interrupt);
  CHECK_FALSE(second.resume);
  CHECK(at.session.apply(event::InterruptAsked{}, asked + 3s).interrupt);
}

TEST_CASE("Stop for a scan at a stop is meant for that scan", "[app][host_session][stops]") {
  AtStop at;
  const auto asked = HostSession::Clock::now() + 1s;
  const SessionReaction scanning = at.session.apply(event::ScanAsked{}, asked);
  REQUIRE(scanning.scan);
  const SessionReaction first = at.session.apply(event::InterruptAsked{}, asked + 1s);
  REQUIRE(first.interrupt);
  CHECK(first.interrupt->scan == *scanning.scan);
  CHECK(first.interrupt->run == 0);
  static_cast<void>(at.session.apply(event::ScanFinished{*scanning.scan}, asked + 1100ms));
  const SessionReaction second = at.session.apply(event::InterruptAsked{}, asked + 1200ms);
  CHECK_FALSE(second.interrupt);
  CHECK_FALSE(second.resume);
  CHECK(at.session.state() == HostState::stopped);
}

TEST_CASE("messages of a stop that come twice, late or never leave no state behind", "[app][host_session][stops]") {
  SECTION("a stop whose end was not told") {
    AtStop at;
    static_cast<void>(at.apply(stop(2)));
    CHECK(at.session.stop()->at.stop == 2);
    static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));
    CHECK(at.session.state() == HostState::stopped);
  }
  SECTION("the run ends while it is thought to stand") {
    AtStop at;
    static_cast<void>(at.apply(finished(1)));
    CHECK(at.session.stop() == nullptr);
    static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));
    CHECK(at.session.state() == HostState::idle);
  }
  SECTION("a stop in a run that nobody asked for, before the end of a scan") {
    HostSession session;
    for (SessionEvent each : std::vector<SessionEvent>{event::StartAsked{}, event::Ready{}, event::ScanAsked{},
                                                       event::RunStarted{9}, stop(1), event::ScanFinished{1}})
      static_cast<void>(session.apply(std::move(each)));
    CHECK(session.resume_refusal() != nullptr);
    CHECK_FALSE(session.apply(event::ResumeAsked{}).resume);
    CHECK(session.stop() == nullptr);
    CHECK(session.state() == HostState::idle);
  }
  SECTION("the script ends at a stop while a line of the console runs there") {
    AtStop at;
    static_cast<void>(at.apply(run(RunKind::console)));
    static_cast<void>(at.apply(finished(1)));
    static_cast<void>(at.apply(finished(2)));  // late: it ended with the script
    CHECK(at.session.stop() == nullptr);
    CHECK(at.session.outcome().outcome == core::Outcome::finished);
    static_cast<void>(at.apply(event::ScanFinished{kScanOfRun}));
    CHECK(at.session.state() == HostState::idle);
  }
  SECTION("a stop where nothing runs") {
    HostSession session;
    static_cast<void>(session.apply(event::StartAsked{}));
    static_cast<void>(session.apply(event::Ready{}));
    static_cast<void>(session.apply(stop(1)));
    CHECK(session.stop() == nullptr);
    CHECK(session.state() == HostState::idle);
  }
}

}  // namespace dlscope::app
