#include "app/models/host/host_session.h"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"
#include "app/models/host/suspension_text.h"

namespace dlscope::app {
namespace {

namespace event = session_event;
using namespace std::chrono_literals;

event::RunAsked run(std::string source = "x = 1", RunKind kind = RunKind::script) {
  event::RunAsked out;
  out.request.source = std::move(source);
  out.kind = kind;
  return out;
}

event::RunFinished finished(std::uint64_t number, core::Outcome outcome = core::Outcome::finished) {
  event::RunFinished out{.run = number, .outcome = {}};
  out.outcome.outcome = outcome;
  return out;
}

// A session that has lived through these events.
HostSession after(std::vector<SessionEvent> events) {
  HostSession session;
  for (SessionEvent& each : events) static_cast<void>(session.apply(std::move(each)));
  return session;
}
HostSession idle() { return after({event::StartAsked{true}, event::PythonFound{"Python 3.11", "/python"}, event::Ready{}}); }
HostSession running() {
  HostSession session = idle();
  static_cast<void>(session.apply(run()));
  static_cast<void>(session.apply(event::RunStarted{1}));
  return session;
}
HostSession scanning() {
  HostSession session = idle();
  static_cast<void>(session.apply(event::ScanAsked{}));
  return session;
}
HostSession crashed() {
  HostSession session = running();
  static_cast<void>(session.apply(event::Crashed{11, "libc.so.6"}));
  return session;
}

}  // namespace

TEST_CASE("a crash marks the line of the script that stood in it", "[app][host]") {
  HostSession session = running();
  session_event::Crashed crash{11, "libc.so.6", {}};
  crash.python_stack = "Current thread 0x1 (most recent call first):\n  File \"/usr/lib/ctypes.py\", line 519 in string_at\n"
                       "  File \"<string>\", line 4 in <module>\n";
  const SessionReaction reaction = session.apply(crash);
  REQUIRE(session.outcome().error.has_value());
  CHECK(session.outcome().error->line == 4);
  CHECK(reaction.note_of_failure);
}

TEST_CASE("a run that waits for a Python that is started anew is the first of that process", "[app][host]") {
  HostSession session = after({event::StartAsked{}, run()});
  REQUIRE(session.state() == HostState::starting);
  static_cast<void>(session.apply(event::StartAsked{}));  // another Python was chosen
  const SessionReaction ready = session.apply(event::Ready{});
  REQUIRE(ready.runs.size() == 1);
  CHECK(session.first_run_of_process() == ready.runs[0].run);
}

TEST_CASE("what was said of a Python is taken back when another one starts, and nothing before the first", "[app][host]") {
  HostSession session;
  CHECK_FALSE(session.apply(event::StartAsked{}).clear_notices);
  HostSession after_crash = crashed();
  CHECK(after_crash.apply(event::StartAsked{}).clear_notices);
}

TEST_CASE("a process that ends in a scan is said to have ended in it", "[app][host_session]") {
  const auto said = [](HostSession session) { return session.apply(event::Ended{0, {}, {}}).output_note; };
  HostSession after_run = running();
  static_cast<void>(after_run.apply(finished(1)));
  for (const HostSession& session : {scanning(), after_run})
    CHECK(said(session) ==
          "The Python process ended with exit code 0 while its tensors were described, so they are not shown, or not whole. "
          "Restart gives a new one.");
  for (const HostSession& session : {idle(), running()})
    CHECK(said(session) == "The Python process ended with exit code 0. Restart gives a new one.");
}

TEST_CASE("each event leads from each state where it should", "[app][host_session]") {
  struct Row {
    const char* what;
    HostSession from;
    SessionEvent event;
    HostState to;
  };
  const HostSession nothing, starting = after({event::StartAsked{}});
  const HostSession failed = after({event::StartAsked{true}, event::StartFailed{"no Python"}});
  const HostSession ended = after({event::StartAsked{}, event::Ready{}, event::Ended{0, {}, {}}});
  const HostSession leaving = after({event::StartAsked{}, event::Ready{}, event::LeaveAsked{}});
  const HostSession after_run = [] {
    HostSession session = running();
    static_cast<void>(session.apply(finished(1)));
    return session;
  }();
  const std::vector<Row> rows = {
      {"a start looks for a Python", nothing, event::StartAsked{true}, HostState::finding},
      {"a start of a known one", nothing, event::StartAsked{}, HostState::starting},
      {"it was found", after({event::StartAsked{true}}), event::PythonFound{}, HostState::starting},
      {"it was not", starting, event::StartFailed{"why"}, HostState::failed},
      {"it is up", starting, event::Ready{}, HostState::idle},
      {"it ends before it is up", starting, event::Ended{3, {}, "why"}, HostState::failed},
      {"a run waits for it", starting, run(), HostState::starting},
      {"a scan does not", starting, event::ScanAsked{}, HostState::starting},
      {"a run", idle(), run(), HostState::running},
      {"a scan", idle(), event::ScanAsked{}, HostState::scanning},
      {"nothing to stop", idle(), event::InterruptAsked{}, HostState::idle},
      {"a question has been found out", idle(), event::LibrariesFound{"numpy"}, HostState::idle},
      {"a run while one runs", running(), run(), HostState::running},
      {"a scan while one runs", running(), event::ScanAsked{}, HostState::running},
      {"a run is stopped", running(), event::InterruptAsked{}, HostState::stopping},
      {"a run ends, its scan begins", running(), finished(1), HostState::scanning},
      {"its scan ends", after_run, event::ScanFinished{kScanOfRun}, HostState::idle},
      {"its scan is stopped", after_run, event::InterruptAsked{}, HostState::stopping},
      {"another scan ends", after_run, event::ScanFinished{7}, HostState::scanning},
      {"a scan ends", scanning(), event::ScanFinished{1}, HostState::idle},
      {"a scan is stopped", scanning(), event::InterruptAsked{}, HostState::stopping},
      {"a crash while it runs", running(), event::Crashed{11, {}}, HostState::crashed},
      {"a crash while it scans", scanning(), event::Crashed{11, {}}, HostState::crashed},
      {"a crash of an idle one", idle(), event::Crashed{11, {}}, HostState::crashed},
      {"the end of what crashed", crashed(), event::Ended{{}, 11, {}}, HostState::crashed},
      {"the end", running(), event::Ended{0, {}, {}}, HostState::ended},
      {"a restart", running(), event::StartAsked{}, HostState::starting},
      {"a restart after a crash", crashed(), event::StartAsked{}, HostState::starting},
      {"a run after a crash starts one", crashed(), run(), HostState::starting},
      {"a run after the end starts one", ended, run(), HostState::starting},
      {"a run after a failure starts one", failed, run(), HostState::starting},
      {"it is told to leave", idle(), event::LeaveAsked{}, HostState::ending},
      {"and takes no run then", leaving, run(), HostState::ending},
      {"and is gone", leaving, event::Ended{0, {}, {}}, HostState::ended},
      {"a message of a dead one", crashed(), event::RunStarted{9}, HostState::crashed},
      {"a message of a dead one", ended, finished(9), HostState::ended},
      {"a message before it is up", starting, event::RunStarted{9}, HostState::starting},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    HostSession session = row.from;
    static_cast<void>(session.apply(row.event));
    CHECK(host_state_word(session.state()) == std::string(host_state_word(row.to)));
  }
}

TEST_CASE("messages that come twice, late or never leave no state behind", "[app][host_session]") {
  SECTION("a run that is told to have ended twice has one scan and counts once") {
    HostSession session = running();
    static_cast<void>(session.apply(finished(1)));
    CHECK(session.apply(finished(1, core::Outcome::raised)).messages.empty());
    CHECK(session.outcome().outcome == core::Outcome::finished);
    static_cast<void>(session.apply(event::ScanFinished{}));
    static_cast<void>(session.apply(event::ScanFinished{}));
    CHECK(session.state() == HostState::idle);
    CHECK(session.runs() == 1);
  }
  SECTION("a start that comes twice, or after the end") {
    HostSession session = running();
    static_cast<void>(session.apply(event::RunStarted{1}));
    CHECK(session.runs() == 1);
    static_cast<void>(session.apply(finished(1)));
    static_cast<void>(session.apply(event::RunStarted{1}));
    CHECK(session.state() == HostState::scanning);
  }
  SECTION("an end without a start") {
    HostSession session = idle();
    static_cast<void>(session.apply(run()));
    static_cast<void>(session.apply(finished(1)));
    CHECK(session.state() == HostState::scanning);
    CHECK(session.runs() == 1);
  }
  SECTION("a run that nobody asked for is none, whatever its number") {
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
      HostSession session = scanning();
      static_cast<void>(session.apply(event::RunStarted{number}));
      CHECK(session.apply(finished(number)).messages.empty());
      CHECK(session.current_scan() == 1u);
      static_cast<void>(session.apply(event::ScanFinished{1}));
      CHECK(session.state() == HostState::idle);
      CHECK(session.runs() == 0);
      CHECK_FALSE(session.run_finished());
      CHECK(session.apply(run()).runs.at(0).run == 1);
      static_cast<void>(session.apply(event::RunStarted{1}));
      static_cast<void>(session.apply(finished(1)));
      CHECK(session.state() == HostState::scanning);
    }
  }
  SECTION("the end of a run is never told: its scan's end does not come alone") {
    HostSession session = running();
    static_cast<void>(session.apply(event::ScanFinished{}));
    CHECK(session.state() == HostState::running);
  }
  SECTION("a run without a scan behind it") {
    HostSession session = idle();
    auto asked = run();
    asked.request.scan_after = false;
    static_cast<void>(session.apply(asked));
    static_cast<void>(session.apply(finished(1)));
    CHECK(session.state() == HostState::idle);
  }
}

TEST_CASE("Stop for a run that has not begun names it, and one for a run that has is for whatever runs", "[app][host_session]") {
  HostSession session = idle();
  const SessionReaction asked = session.apply(run());
  REQUIRE(asked.runs.size() == 1);
  const SessionReaction early = session.apply(event::InterruptAsked{});
  REQUIRE(early.interrupt);
  CHECK(early.interrupt->run == asked.runs[0].run);
  CHECK(session.state() == HostState::stopping);
  static_cast<void>(session.apply(event::RunStarted{asked.runs[0].run}));
  const SessionReaction again = session.apply(event::InterruptAsked{});
  REQUIRE(again.interrupt);
  CHECK(again.interrupt->run == 0);
}

// A question open for 300 ms, Rescan, Stop: only the end of the scan decides.
TEST_CASE("a scan that was stopped while a question hung ends in idle", "[app][host_session]") {
  HostSession session = idle();
  auto now = HostSession::Clock::now();
  session.want({.asker = "inspector", .ticket = 1, .kind = "struct", .text = "{}"});
  session.put_questions([](const Question&) { return std::uint64_t{7}; });
  CHECK_FALSE(session.can_stop());
  session.advance(now += 1s);
  CHECK(session.can_stop());
  CHECK(session.apply(event::ScanAsked{}, now).scan == 1u);
  CHECK(session.apply(event::InterruptAsked{}, now).interrupt);
  CHECK(session.state() == HostState::stopping);
  session.answer({7, "struct", "", core::wire::kAnswerStopped});
  session.advance(now += 1s);
  static_cast<void>(session.apply(event::ScanFinished{1}, now));
  CHECK(session.state() == HostState::idle);
  CHECK(session.stop_attempts() == 0);
  CHECK_FALSE(session.can_stop());
}

TEST_CASE("stopping a question alone is no stop of a run", "[app][host_session]") {
  HostSession session = idle();
  session.want({.asker = "console", .ticket = 1, .kind = "complete", .text = "{}"});
  session.put_questions([](const Question&) { return std::uint64_t{7}; });
  session.advance(HostSession::Clock::now() + 1s);
  CHECK(session.apply(event::InterruptAsked{}).interrupt);
  CHECK(session.state() == HostState::idle);
  CHECK(session.stop_attempts() == 0);
}

TEST_CASE("a run asked for during the start is sent when Python is up, the newest only", "[app][host_session]") {
  HostSession session = after({event::StartAsked{true}});
  CHECK(session.apply(run("a")).runs.empty());
  CHECK(session.apply(run("b")).runs.empty());
  static_cast<void>(session.apply(event::PythonFound{}));
  const SessionReaction reaction = session.apply(event::Ready{});
  REQUIRE(reaction.runs.size() == 1);
  CHECK(reaction.runs[0].source == "b");
  CHECK(session.state() == HostState::running);
  CHECK(session.apply(event::Ready{}).runs.empty());
}

TEST_CASE("a run that cannot be sent is refused in words that name the reason", "[app][host_session]") {
  const std::string large(core::wire::kMaxMessageBytes + 1, '#');
  SECTION("too long, whether Python is up or not") {
    for (HostSession session : {idle(), after({event::StartAsked{true}})}) {
      const HostState before = session.state();
      const SessionReaction reaction = session.apply(run(large));
      REQUIRE(reaction.messages.size() == 1);
      CHECK(reaction.messages[0].text.find("4 MiB") != std::string::npos);
      CHECK(reaction.messages[0].text.find("Save it") != std::string::npos);
      CHECK(reaction.runs.empty());
      CHECK(session.state() == before);
      CHECK(session.apply(event::Ready{}).runs.empty());
    }
  }
  SECTION("a saved script is run from its file instead") {
    HostSession session = idle();
    auto asked = run(large);
    asked.request.path = "large.py";
    asked.saved = true;
    const SessionReaction reaction = session.apply(asked);
    REQUIRE(reaction.runs.size() == 1);
    CHECK_FALSE(reaction.runs[0].source);
    CHECK(reaction.runs[0].path == "large.py");
  }
  SECTION("a part of a saved script is not") {
    HostSession session = idle();
    auto asked = run(large, RunKind::part_of_script);
    asked.saved = true;
    CHECK(session.apply(asked).runs.empty());
  }
  SECTION("not taken by the host") {
    HostSession session = idle();
    static_cast<void>(session.apply(run()));
    const SessionReaction reaction = session.apply(event::RequestNotTaken{});
    REQUIRE(reaction.messages.size() == 1);
    CHECK(reaction.messages[0].tone == Tone::bad);
    CHECK(session.state() == HostState::idle);
  }
}

TEST_CASE("what ended is said once, and where", "[app][host_session]") {
  SECTION("a crash stands above the end that follows it") {
    HostSession session = running();
    const SessionReaction reaction = session.apply(event::Crashed{11, "libc.so.6"});
    REQUIRE(reaction.messages.size() == 1);
    CHECK(session.detail().find("SIGSEGV in libc.so.6") != std::string::npos);
    CHECK(session.outcome().outcome == core::Outcome::crashed);
    CHECK(session.apply(event::Ended{{}, 11, {}}).messages.empty());
    CHECK(session.detail().find("SIGSEGV") != std::string::npos);
  }
  SECTION("an idle Python that goes is logged, no more") {
    HostSession session = idle();
    const SessionReaction reaction = session.apply(event::Ended{0, {}, {}});
    REQUIRE(reaction.messages.size() == 1);
    CHECK(reaction.messages[0].log_only);
  }
  SECTION("one that takes a run with it is shown") {
    HostSession session = running();
    static_cast<void>(session.apply(event::KillAsked{}));
    CHECK(session.killed());
    const SessionReaction reaction = session.apply(event::Ended{{}, 9, {}});
    REQUIRE(reaction.messages.size() == 1);
    CHECK_FALSE(reaction.messages[0].log_only);
    CHECK(reaction.messages[0].text.find("SIGKILL") != std::string::npos);
  }
  SECTION("a console line that worked says nothing, and its error has no line of the script") {
    HostSession session = idle();
    static_cast<void>(session.apply(run("1 / 0", RunKind::console)));
    auto raised = finished(1, core::Outcome::raised);
    raised.outcome.error = core::ScriptError{"ZeroDivisionError", "division by zero", 1, {}};
    CHECK_FALSE(session.apply(raised).output_note.empty());
    CHECK(session.outcome().error->line == 0);
    static_cast<void>(session.apply(event::ScanFinished{}));
    static_cast<void>(session.apply(run("1", RunKind::console)));
    CHECK(session.apply(finished(2)).output_note.empty());
  }
}

TEST_CASE("what may be asked of it follows from what it does", "[app][host_session]") {
  CHECK(HostSession().run_refusal() == std::string("There is no Python to run it."));
  CHECK(idle().can_run());
  CHECK_FALSE(idle().can_stop());
  CHECK(running().run_refusal() == std::string("Something is running already. Stop it first."));
  CHECK(running().can_stop());
  CHECK(scanning().can_stop());
  CHECK_FALSE(scanning().can_run());
  CHECK(scanning().scan_refusal() != nullptr);
  CHECK(crashed().can_run());
  CHECK_FALSE(crashed().can_kill());
  CHECK(crashed().can_restart());
  CHECK_FALSE(HostSession().can_restart());
}

TEST_CASE("that somebody has stopped the process is said whatever it was doing, until it goes on or ends",
          "[app][host_session]") {
  const std::string said = "Python's process 7 is stopped (SIGSTOP or the like): kill -CONT 7 lets it go on";
  for (HostSession session : {idle(), running(), scanning()}) {
    CHECK(session.suspension().empty());
    CHECK(hint_while_suspended(session, "Runs it.") == "Runs it.");
    const HostState before = session.state();
    const bool could_run = session.can_run();
    const SessionReaction reaction = session.apply(event::SuspensionWatched{said});
    CHECK(reaction.messages.empty());
    CHECK(session.suspension() == said);
    CHECK((session.state() == before && session.can_run() == could_run));  // what it does when it goes on
    CHECK(hint_while_suspended(session, "Runs it.").starts_with(said + ". "));
    CHECK(hint_while_suspended(session, "Runs it.").ends_with("\nRuns it."));
    HostSession gone_on = session, restarted = session, crash = session, killed = session;
    static_cast<void>(gone_on.apply(event::SuspensionWatched{}));
    static_cast<void>(restarted.apply(event::StartAsked{}));
    static_cast<void>(crash.apply(event::Crashed{11, {}}));
    static_cast<void>(killed.apply(event::Ended{{}, 9, {}}));
    for (const HostSession& each : {gone_on, restarted, crash, killed}) CHECK(each.suspension().empty());
  }
  // Of a process that has ended, the last look may come late.
  HostSession late = crashed();
  static_cast<void>(late.apply(event::SuspensionWatched{said}));
  CHECK(late.suspension().empty());
}

TEST_CASE("a state is as old as its last change", "[app][host_session]") {
  const auto start = HostSession::Clock::now();
  HostSession session(start);
  static_cast<void>(session.apply(event::StartAsked{}, start + 1s));
  static_cast<void>(session.apply(event::Ready{}, start + 2s));
  static_cast<void>(session.apply(event::LibrariesFound{"numpy"}, start + 3s));
  CHECK(session.state_since() == start + 2s);
  static_cast<void>(session.apply(run(), start + 4s));
  static_cast<void>(session.apply(event::RunStarted{1}, start + 5s));
  CHECK(session.state_since() == start + 4s);
}

TEST_CASE("a recording is as it was, and answers nothing", "[app][host_session]") {
  core::RunOutcome outcome;
  CHECK(HostSession::recorded("Python 3.11", outcome).state() == HostState::absent);
  outcome.outcome = core::Outcome::raised;
  HostSession session = HostSession::recorded("Python 3.11", outcome);
  CHECK(session.state() == HostState::idle);
  CHECK(session.questions().closed());
  outcome.outcome = core::Outcome::crashed;
  outcome.signal = 6;
  CHECK(HostSession::recorded("", outcome).detail().find("SIGABRT") != std::string::npos);
}

}  // namespace dlscope::app
