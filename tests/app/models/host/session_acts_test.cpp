// Acts in the session: what it says while one is under way, what may be asked meanwhile, what Stop ends, and that no order of
// events leaves a wrong state behind.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/models/host/act_refusal.h"
#include "app/models/host/host_session.h"
#include "app/models/host/session_event.h"
#include "app/models/host/session_reaction.h"

namespace dlscope::app {
namespace {

namespace event = session_event;
using namespace std::chrono_literals;

event::RunAsked run(RunKind kind = RunKind::script) {
  event::RunAsked out;
  out.request.source = "x = 1";
  out.kind = kind;
  return out;
}

event::RunFinished finished(std::uint64_t number) {
  event::RunFinished out{.run = number, .outcome = {}};
  out.outcome.outcome = core::Outcome::finished;
  return out;
}

event::Stopped stop(std::uint64_t number) {
  event::Stopped out;
  out.stop.stop = number;
  out.stop.frames = {{"main", "/train.py", 80, true}};
  return out;
}

// A session that has lived through these events.
HostSession after(std::vector<SessionEvent> events) {
  HostSession session;
  for (SessionEvent& each : events) static_cast<void>(session.apply(std::move(each)));
  return session;
}
HostSession idle() { return after({event::StartAsked{}, event::Ready{}}); }
HostSession acting() {
  HostSession session = idle();
  static_cast<void>(session.apply(event::ActSent{5, "Copying x"}));
  return session;
}
// The script stands at a stop, after the scan of it.
HostSession standing() {
  return after({event::StartAsked{}, event::Ready{}, run(), event::RunStarted{1}, stop(3), event::ScanFinished{kScanOfRun}});
}

}  // namespace

TEST_CASE("each event leads from an act where it should", "[app][host_session][acts]") {
  struct Row {
    const char* what;
    HostSession from;
    SessionEvent event;
    HostState to;
    const char* act;  // what is said to be under way afterwards
  };
  HostSession two = acting(), scan_behind = acting(), run_behind = acting(), stopping = acting();
  static_cast<void>(two.apply(event::ActSent{6, "Holding y"}));
  static_cast<void>(scan_behind.apply(event::ScanAsked{}));
  static_cast<void>(run_behind.apply(run()));
  static_cast<void>(stopping.apply(event::InterruptAsked{}));
  HostSession behind_scan = idle(), at_stop = standing();
  static_cast<void>(behind_scan.apply(event::ScanAsked{}));
  static_cast<void>(behind_scan.apply(event::ActSent{5, "Copying x"}));
  static_cast<void>(at_stop.apply(event::ActSent{5, "Copying x"}));
  HostSession resumed = at_stop;
  static_cast<void>(resumed.apply(event::ResumeAsked{}));
  const std::vector<Row> rows = {
      {"an act is sent", idle(), event::ActSent{5, "Copying x"}, HostState::acting, "Copying x"},
      {"to a Python that starts", after({event::StartAsked{}}), event::ActSent{5, "Copying x"}, HostState::starting, ""},
      {"it ends", acting(), event::ActEnded{5}, HostState::idle, ""},
      {"another one ends", acting(), event::ActEnded{4}, HostState::acting, "Copying x"},
      {"it is sent twice", acting(), event::ActSent{5, "again"}, HostState::acting, "Copying x"},
      {"it is stopped", acting(), event::InterruptAsked{}, HostState::stopping, "Copying x"},
      {"and ends", stopping, event::ActEnded{5}, HostState::idle, ""},
      {"the first of two ends", two, event::ActEnded{5}, HostState::acting, "Holding y"},
      {"the second of two is cancelled while it waits", two, event::ActEnded{6}, HostState::acting, "Copying x"},
      {"a scan waits behind it", acting(), event::ScanAsked{}, HostState::acting, "Copying x"},
      {"and begins when it ends", scan_behind, event::ActEnded{5}, HostState::scanning, ""},
      {"a run waits behind it", acting(), run(), HostState::acting, "Copying x"},
      {"and begins when it ends", run_behind, event::ActEnded{5}, HostState::running, ""},
      {"a run that begins shows that it has ended", run_behind, event::RunStarted{1}, HostState::running, ""},
      {"it waits behind a scan", behind_scan, event::LibrariesFound{"numpy"}, HostState::scanning, ""},
      {"and begins when that ends", behind_scan, event::ScanFinished{1}, HostState::acting, "Copying x"},
      {"at a stop", standing(), event::ActSent{5, "Copying x"}, HostState::acting, "Copying x"},
      {"it ends, the script stands there", at_stop, event::ActEnded{5}, HostState::stopped, ""},
      {"the script goes on behind it", at_stop, event::ResumeAsked{}, HostState::acting, "Copying x"},
      {"and runs when it ends", resumed, event::ActEnded{5}, HostState::running, ""},
      {"and ends", resumed, finished(1), HostState::scanning, ""},
      {"a crash in it", acting(), event::Crashed{11, {}}, HostState::crashed, ""},
      {"the end of the process in it", acting(), event::Ended{0, {}, {}}, HostState::ended, ""},
      {"a restart in it", acting(), event::StartAsked{}, HostState::starting, ""},
      {"its end after a restart", after({event::StartAsked{}, event::Ready{}, event::ActSent{5, "Copying x"}, event::StartAsked{}}),
       event::ActEnded{5}, HostState::starting, ""},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    HostSession session = row.from;
    static_cast<void>(session.apply(row.event));
    CHECK(host_state_word(session.state()) == std::string(host_state_word(row.to)));
    CHECK(session.act() == row.act);
  }
}

TEST_CASE("during an act a run, a scan and another act may be asked for, and a second run may not", "[app][host_session][acts]") {
  HostSession session = acting();
  CHECK_FALSE(session.busy());
  CHECK(session.python_rests());
  CHECK(session.can_run());
  CHECK(session.can_stop());
  CHECK(session.scan_refusal() == nullptr);
  CHECK(session.pause_refusal() == std::string("Nothing is running."));
  const Moment now{.run = 1};
  CHECK(why_not_acted(now, session) == nullptr);
  static_cast<void>(session.apply(run()));
  CHECK(session.busy());
  CHECK_FALSE(session.python_rests());
  CHECK(session.run_refusal() == std::string("Something is running already. Stop it first."));
  CHECK(session.scan_refusal() != nullptr);
  CHECK(why_not_acted(now, session) != nullptr);  // it would wait for the whole run
}

TEST_CASE("questions are sent during an act and wait behind it; Stop is for the act", "[app][host_session][acts]") {
  HostSession session = acting();
  auto now = HostSession::Clock::now();
  std::vector<std::string> asked;
  session.want({.asker = "inspector", .ticket = 1, .kind = "struct", .text = "{}", .patient = true});
  session.put_questions([&](const Question& question) {
    asked.push_back(question.kind);
    return std::uint64_t{7};
  });
  CHECK(asked == std::vector<std::string>{"struct"});
  session.advance(now += 1s);
  const SessionReaction stopped = session.apply(event::InterruptAsked{}, now);
  CHECK(stopped.cancel_act == 5u);
  CHECK_FALSE(stopped.interrupt);
}

TEST_CASE("Stop cancels the act, and the run that waits behind it does not begin", "[app][host_session][acts]") {
  SECTION("the act alone") {
    HostSession session = acting();
    const SessionReaction reaction = session.apply(event::InterruptAsked{});
    CHECK(reaction.cancel_act == 5u);
    CHECK_FALSE(reaction.interrupt);
    CHECK(session.stop_attempts() == 1);
    CHECK(session.apply(event::InterruptAsked{}).cancel_act == 5u);  // again: the host interrupts it again
    CHECK(session.stop_attempts() == 2);
    static_cast<void>(session.apply(event::ActEnded{5}));
    CHECK(session.stop_attempts() == 0);
    CHECK_FALSE(session.can_stop());
    CHECK(session.stop_refusal() == std::string("Nothing is running."));
  }
  SECTION("with a run behind it") {
    HostSession session = acting();
    const std::uint64_t number = session.apply(run()).runs.at(0).run;
    const SessionReaction reaction = session.apply(event::InterruptAsked{});
    CHECK(reaction.cancel_act == 5u);
    REQUIRE(reaction.interrupt);
    CHECK(reaction.interrupt->run == number);
    static_cast<void>(session.apply(finished(number)));  // it never began; the act has not ended yet
    static_cast<void>(session.apply(event::ScanFinished{kScanOfRun}));
    CHECK(session.act() == "Copying x");
    CHECK(session.can_stop());
    CHECK(session.stop_attempts() == 1);
    static_cast<void>(session.apply(event::ActEnded{5}));
    CHECK(session.state() == HostState::idle);
  }
  SECTION("the next act goes on as if nothing had been stopped") {
    HostSession session = acting();
    static_cast<void>(session.apply(event::ActSent{6, "Holding y"}));
    CHECK(session.apply(event::InterruptAsked{}).cancel_act == 5u);
    static_cast<void>(session.apply(event::ActEnded{5}));
    CHECK(session.state() == HostState::acting);
    CHECK(session.act() == "Holding y");
  }
  SECTION("at a stop, where the second half of a double click does not end the script") {
    HostSession session = standing();
    auto now = HostSession::Clock::now();
    static_cast<void>(session.apply(event::ActSent{5, "Copying x"}, now));
    CHECK(session.apply(event::InterruptAsked{}, now).cancel_act == 5u);
    static_cast<void>(session.apply(event::ActEnded{5}, now));
    const SessionReaction second = session.apply(event::InterruptAsked{}, now + 100ms);
    CHECK_FALSE(second.resume);
    CHECK_FALSE(second.interrupt);
    CHECK(session.state() == HostState::stopped);
  }
}

TEST_CASE("a run that the host does not take leaves the act in front of it", "[app][host_session][acts]") {
  HostSession session = acting();
  static_cast<void>(session.apply(run()));
  static_cast<void>(session.apply(event::RequestNotTaken{}));
  CHECK(session.state() == HostState::acting);
  static_cast<void>(session.apply(event::ActEnded{5}));
  CHECK(session.state() == HostState::idle);
}

TEST_CASE("a console line at a stop waits behind an act, and the script stands there until both are over",
          "[app][host_session][acts]") {
  HostSession session = standing();
  static_cast<void>(session.apply(event::ActSent{5, "Copying x"}));
  REQUIRE(session.console_refusal() == nullptr);
  const SessionReaction line = session.apply(run(RunKind::console));
  REQUIRE(line.runs.size() == 1);
  CHECK(line.runs[0].stop == 3);
  CHECK(session.state() == HostState::acting);
  CHECK(session.resume_refusal() != nullptr);
  static_cast<void>(session.apply(event::ActEnded{5}));
  CHECK(session.current_run() == line.runs[0].run);
  static_cast<void>(session.apply(finished(line.runs[0].run)));
  static_cast<void>(session.apply(event::ScanFinished{kScanOfRun}));
  CHECK(session.state() == HostState::stopped);
}

namespace {

// A host that serves its queue in order, and what a person asks for: which state must follow is known from the queue alone.
struct HonestHost {
  HostSession session = idle();
  HostSession::Clock::time_point now = HostSession::Clock::now();
  struct Request {
    HostState doing{};
    std::uint64_t id = 0;
    bool begun = false;
  };
  std::vector<Request> queue;
  std::uint64_t last_act = 0;
  bool stop_pressed = false;

  void apply(SessionEvent each) {
    const SessionReaction reaction = session.apply(std::move(each), now += 1s);
    for (const auto& sent : reaction.runs) queue.push_back({HostState::running, sent.run});
    if (reaction.scan) queue.push_back({HostState::scanning, *reaction.scan});
    if (reaction.interrupt || reaction.cancel_act) stop_pressed = true;
    if (reaction.cancel_act) {
      REQUIRE_FALSE(queue.empty());
      CHECK(queue.front().doing == HostState::acting);
      CHECK(queue.front().id == *reaction.cancel_act);
    }
    if (reaction.interrupt && reaction.interrupt->run != 0) {
      const std::uint64_t run = reaction.interrupt->run;
      const auto waits = std::ranges::find_if(queue, [run](const Request& one) {
        return one.doing == HostState::running && one.id == run && !one.begun;
      });
      REQUIRE(waits != queue.end());
      if (waits == queue.begin()) return;
      // The host ends it at once, with the scan that would have followed, and goes on with what is in front.
      queue.erase(waits);
      apply(finished(run));
      apply(event::ScanFinished{kScanOfRun});
    }
  }
  void send_act() {
    queue.push_back({HostState::acting, ++last_act});
    apply(event::ActSent{last_act, "act " + std::to_string(last_act)});
  }
  void finish_front() {
    if (queue.empty()) return;
    const Request front = queue.front();
    queue.erase(queue.begin());
    stop_pressed = false;
    if (front.doing == HostState::acting) apply(event::ActEnded{front.id});
    if (front.doing == HostState::scanning) apply(event::ScanFinished{front.id});
    if (front.doing != HostState::running) return;
    queue.insert(queue.begin(), {HostState::scanning, kScanOfRun, true});  // each run is followed by a scan of its own
    apply(finished(front.id));
  }
  void begin_front() {
    if (queue.empty() || queue.front().doing != HostState::running || std::exchange(queue.front().begun, true)) return;
    apply(event::RunStarted{queue.front().id});
  }
  void cancel_waiting_act(std::uint64_t which) {
    if (queue.size() < 2) return;
    const auto at = queue.begin() + 1 + static_cast<long>(which % (queue.size() - 1));
    if (at->doing != HostState::acting) return;
    const std::uint64_t id = at->id;
    queue.erase(at);
    apply(event::ActEnded{id});
  }
  void lie(std::uint64_t number) {
    for (SessionEvent each : std::vector<SessionEvent>{event::ActEnded{1'000'000 + number}, event::RunStarted{1'000'000},
                                                       event::ScanFinished{1'000'000}, finished(1'000'000)})
      apply(std::move(each));
  }

  void check() const {
    const HostState doing = queue.empty() ? HostState::idle : stop_pressed ? HostState::stopping : queue.front().doing;
    CHECK(host_state_word(session.state()) == std::string(host_state_word(doing)));
    const bool acts = !queue.empty() && queue.front().doing == HostState::acting;
    CHECK(session.act() == (acts ? "act " + std::to_string(queue.front().id) : std::string()));
    const bool code = std::ranges::any_of(queue, [](const Request& each) { return each.doing != HostState::acting; });
    CHECK(session.busy() == code);
    CHECK(session.can_run() == !code);
    CHECK(session.can_stop() == !queue.empty());
    CHECK((stop_pressed || session.python_rests() == !code));
    CHECK((session.stop_attempts() > 0) == stop_pressed);
  }
};

}  // namespace

TEST_CASE("in every order of requests and ends the session says what the host's queue says", "[app][host_session][acts]") {
  std::mt19937_64 random(20261124);
  std::set<std::string> seen;
  for (int round = 0; round < 300; ++round) {
    HonestHost host;
    for (int step = 0; step < 60; ++step) {
      INFO("round " << round << ", step " << step);
      switch (random() % 10) {
        case 0: host.apply(run()); break;
        case 1: host.apply(event::ScanAsked{}); break;
        case 2:
        case 3: host.send_act(); break;
        case 4: host.begin_front(); break;
        case 5: host.apply(event::InterruptAsked{}); break;
        case 6: host.cancel_waiting_act(random()); break;
        case 7: host.lie(random() % 100); break;
        default: host.finish_front();
      }
      host.check();
      seen.insert(host_state_word(host.session.state()));
    }
    while (!host.queue.empty()) host.finish_front();
    host.check();
  }
  CHECK(seen.size() == 5);  // idle, working, running, scanning, stopping
}

}  // namespace dlscope::app
