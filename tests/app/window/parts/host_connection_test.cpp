// What the window sends to a host and says because of it, without a window.
#include "app/window/host/host_connection.h"

#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "tests/app/window/parts/fake_link.h"
#include "tests/support/sample_snapshot.h"

namespace dlscope::tests {
namespace {

struct Bench {
  FakeHost host;
  app::OutputModel output;
  app::Notices notices;
  app::JobPool jobs;
  app::TaskRunner tasks{jobs};
  app::HostConnection connection{std::make_unique<FakeLink>(host), output, notices, tasks, [] {}};

  void ready() {
    host.found_python();
    host.ready();
    connection.update();
  }
  void run(const char* source) {
    app::session_event::RunAsked run;
    run.request.source = source;
    connection.ask(std::move(run));
  }
  [[nodiscard]] app::HostState state() const { return connection.session().state(); }
};

}  // namespace

TEST_CASE("the connection starts a host, sends a run and hands out the snapshot", "[window][connection]") {
  Bench bench;
  CHECK(bench.host.starts == 1);
  CHECK(bench.state() == app::HostState::finding);
  bench.ready();
  CHECK(bench.state() == app::HostState::idle);
  CHECK(bench.connection.session().python() == "Python 3.11.7 · .venv");
  CHECK(bench.connection.take_found_python()->version == "3.11.7");
  CHECK_FALSE(bench.connection.take_found_python());
  bench.run("x = 1");
  CHECK(bench.host.runs.size() == 1);
  bench.host.finish({}, tour_snapshot());
  CHECK(bench.connection.update());
  CHECK(bench.state() == app::HostState::idle);
  CHECK(bench.connection.take_snapshots().size() == 1);
  CHECK(bench.connection.take_snapshots().empty());
  CHECK_FALSE(bench.connection.update());
}

TEST_CASE("of the snapshots that arrive together each moment is handed out, with its own stop and process", "[window][connection]") {
  Bench bench;
  bench.ready();
  bench.run("x = 1");
  const auto came = [&](std::uint64_t revision, core::Scanned scanned, bool finished = true) {
    auto seen = std::make_shared<core::Snapshot>(*snapshot_of({{.name = "x", .shape = {4}}}));
    seen->info.revision = revision;
    if (!finished) seen->info.missing_pairs = core::UnknownWhy::not_yet;
    bench.host.events.emplace_back(app::HostEvent{app::HostSnapshot{seen, scanned}});
  };
  core::wire::Stopped at;
  at.stop = 1;
  bench.host.events.emplace_back(app::HostEvent{app::HostAtStop(at)});
  came(1, core::Scanned::stop, false);
  came(1, core::Scanned::stop);
  bench.host.events.emplace_back(app::HostEvent{app::HostScanFinished{}});
  bench.host.events.emplace_back(app::HostEvent{app::HostResumed{1}});
  came(2, core::Scanned::earlier);
  bench.host.events.emplace_back(app::HostEvent{app::HostOutput{"in a loop"}});
  came(3, core::Scanned::earlier);
  bench.host.events.emplace_back(app::HostEvent{app::HostRunFinished{1, finished()}});
  came(4, core::Scanned::end);
  CHECK(bench.connection.update());
  const auto arrived = bench.connection.take_snapshots();
  REQUIRE(arrived.size() == 3);
  CHECK(arrived[0].scanned == core::Scanned::stop);
  CHECK(arrived[0].stop == 1);
  CHECK_FALSE(arrived[0].snapshot->sharing_not_yet());
  CHECK(arrived[1].snapshot->info.revision == 3);
  CHECK(arrived[2].scanned == core::Scanned::end);
  CHECK(arrived[2].stop == 0);
  CHECK(arrived[0].process == arrived[2].process);
}

TEST_CASE("a host that takes no run leaves the session idle, and it is said", "[window][connection]") {
  Bench bench;
  bench.ready();
  bench.host.takes_runs = false;
  bench.run("x = 1");
  CHECK(bench.state() == app::HostState::idle);
  REQUIRE(bench.notices.all().size() == 1);
  CHECK(bench.notices.all().front().tone == app::Tone::bad);
}

TEST_CASE("another Python is started as it was found, and restarted without a search", "[window][connection]") {
  Bench bench;
  bench.ready();
  app::PythonChoice other;
  other.executable = "/other/python";
  other.version = "3.12.1";
  other.chosen_because = "chosen in this window";
  bench.connection.choose_python(other);
  CHECK(bench.host.chosen == std::vector<std::string>{"/other/python"});
  CHECK(bench.host.starts == 2);
  CHECK(bench.state() == app::HostState::starting);
  CHECK(bench.connection.session().python() == "Python 3.12.1");
  CHECK(bench.connection.session().executable() == "/other/python (chosen in this window)");
  bench.ready();
  bench.connection.ask(app::session_event::StartAsked{});
  CHECK(bench.host.starts == 3);
  CHECK(bench.state() == app::HostState::starting);
}

TEST_CASE("Kill asks each time: the answer counts as long as the question is seen", "[window][connection]") {
  Bench bench;
  bench.ready();
  const auto kill = [&] { bench.connection.kill(std::nullopt); };
  SECTION("asked twice") {
    kill();
    CHECK(bench.host.kills == 0);
    REQUIRE(bench.notices.all().size() == 1);
    kill();
    CHECK(bench.host.kills == 1);
    CHECK(bench.notices.all().empty());
  }
  SECTION("a run took the question away") {
    kill();
    bench.run("x = 1");
    REQUIRE(bench.notices.all().empty());
    kill();
    CHECK(bench.host.kills == 0);
    CHECK(bench.notices.all().size() == 1);
  }
  SECTION("the question was dismissed") {
    kill();
    bench.notices.dismiss(bench.notices.all().front().id);
    kill();
    CHECK(bench.host.kills == 0);
  }
  SECTION("a Stop that was tried needs no question") {
    bench.run("while True: pass");
    bench.connection.update();
    bench.connection.ask(app::session_event::InterruptAsked{});
    kill();
    CHECK(bench.host.kills == 1);
  }
}

TEST_CASE("Restart asks where variables or what runs would be lost", "[window][connection]") {
  Bench bench;
  bench.ready();
  const auto asks = [&] {
    const int starts = bench.host.starts;
    bench.connection.restart();
    const bool asked = bench.host.starts == starts && bench.notices.all().size() == 1;
    CHECK(asked == (bench.host.starts != starts + 1));
    return asked;
  };
  SECTION("nothing was run") { CHECK_FALSE(asks()); }
  SECTION("code runs") {
    bench.run("while True: pass");
    CHECK(asks());
    CHECK(std::holds_alternative<app::command::RestartHost>(*bench.notices.all().front().command));
    CHECK_FALSE(asks());  // the question is shown: that is the answer
    CHECK(bench.notices.all().empty());
    bench.ready();
    CHECK_FALSE(asks());  // the new process has no variables
  }
  SECTION("a run has ended") {
    bench.run("x = 1");
    bench.host.finish(finished(), tour_snapshot());
    bench.connection.update();
    CHECK(asks());
    bench.notices.dismiss(bench.notices.all().front().id);
    CHECK(asks());
  }
  SECTION("a Stop that was tried needs no question") {
    bench.run("while True: pass");
    bench.connection.update();
    bench.connection.ask(app::session_event::InterruptAsked{});
    CHECK_FALSE(asks());
  }
  SECTION("the process crashed") {
    bench.run("x = 1");
    bench.host.events.emplace_back(app::HostEvent{app::HostCrashed{}});
    bench.connection.update();
    bench.notices.clear();
    CHECK_FALSE(asks());
  }
}

TEST_CASE("another Python is asked about each time, and by its own path", "[window][connection]") {
  Bench bench;
  bench.ready();
  CHECK(bench.connection.may_choose_python("/a"));  // nothing would be lost
  bench.run("x = 1");
  bench.host.finish(finished(), tour_snapshot());
  bench.connection.update();
  const auto choose = [&](const char* path) {
    return bench.connection.agreed_to_python(path) || bench.connection.may_choose_python(path);
  };
  CHECK_FALSE(choose("/a"));
  CHECK_FALSE(choose("/b"));
  REQUIRE(bench.notices.all().size() == 1);
  CHECK(std::get<app::command::ChoosePython>(*bench.notices.all().front().command).path == "/b");
  bench.notices.dismiss(bench.notices.all().front().id);
  CHECK_FALSE(choose("/b"));
  CHECK(choose("/b"));
  CHECK(bench.notices.all().empty());
}

TEST_CASE("runs that nobody asked for change neither the session nor what is said of the tensors", "[window][connection]") {
  constexpr std::uint64_t kLargest = ~std::uint64_t{0};
  Bench bench;
  bench.ready();
  const auto say = [&](app::HostEvent event) {
    bench.host.events.emplace_back(std::move(event));
    bench.connection.update();
  };
  const auto run_to_its_end = [&] {
    bench.run("x = 1");
    bench.host.finish(finished(), nullptr);
    bench.connection.update();
  };
  const auto since = [&](std::uint64_t run) {
    core::SnapshotInfo info;
    info.run = run;
    return bench.connection.session().timeline().moment_of(info, bench.connection.session().timeline().process()).since;
  };
  say(app::HostRunStarted{kLargest});
  CHECK(bench.state() == app::HostState::idle);
  say(app::HostRunFinished{kLargest, finished()});
  say(app::HostScanFinished{});
  CHECK(bench.state() == app::HostState::idle);
  run_to_its_end();
  REQUIRE(bench.host.runs.size() == 1);
  CHECK(bench.host.runs.back().run == 1);
  CHECK(since(1) == app::Since::nothing);

  bench.connection.ask(app::session_event::StartAsked{});
  bench.host.ready();
  bench.connection.update();
  CHECK(since(0) == app::Since::nothing);  // of a new process, in which nothing has run
  run_to_its_end();
  CHECK(bench.host.runs.back().run == 2);
  CHECK(since(2) == app::Since::nothing);
}

TEST_CASE("a stop that cannot be left goes on, and what was seen there stays current", "[window][connection]") {
  Bench bench;
  bench.ready();
  bench.run("x = 1");
  core::wire::Stopped at;
  at.stop = 1;
  const auto seen = std::make_shared<core::Snapshot>(*tour_snapshot());
  seen->info.run = 1;
  seen->info.revision = 7;
  seen->info.scanned = core::Scanned::stop;
  bench.host.stop_at(at, seen);
  bench.connection.update();
  const auto moment = [&] {
    const app::Timeline& timeline = bench.connection.session().timeline();
    return timeline.moment_of(seen->info, timeline.process());
  };
  REQUIRE(bench.state() == app::HostState::stopped);
  REQUIRE(moment().at_stop);
  const app::Moment before = moment();

  bench.host.takes_resumes = false;
  bench.connection.ask(app::session_event::ResumeAsked{});
  CHECK(bench.state() == app::HostState::stopped);
  CHECK(moment() == before);
  REQUIRE(bench.notices.all().size() == 1);
  CHECK(bench.notices.all().front().tone == app::Tone::bad);
  SECTION("a line of the console that the host does not take changes nothing either") {
    bench.host.takes_runs = false;
    app::session_event::RunAsked line;
    line.request.source = "x";
    line.kind = app::RunKind::console;
    bench.connection.ask(std::move(line));
    CHECK(bench.state() == app::HostState::stopped);
    CHECK(moment() == before);
  }
  SECTION("it can be left later") {
    bench.host.takes_resumes = true;
    bench.connection.ask(app::session_event::ResumeAsked{});
    CHECK(moment().since == app::Since::running);
  }
}

TEST_CASE("stops that the session ignores change nothing of what is said of the tensors", "[window][connection]") {
  Bench bench;
  bench.ready();
  const auto say = [&](app::HostEvent event) {
    bench.host.events.emplace_back(std::move(event));
    bench.connection.update();
  };
  const auto moment = [&](const core::SnapshotInfo& info) {
    const app::Timeline& timeline = bench.connection.session().timeline();
    return timeline.moment_of(info, timeline.process());
  };
  const auto stop_with = [](std::uint64_t number) {
    core::wire::Stopped stop;
    stop.stop = number;
    return stop;
  };
  core::SnapshotInfo end;
  end.run = 1;
  bench.run("x = 1");
  bench.host.finish(finished(), nullptr);
  bench.connection.update();
  const app::Moment after_run = moment(end);
  REQUIRE(after_run.since == app::Since::nothing);
  say(app::HostAtStop(stop_with(5)));  // nothing runs
  CHECK(bench.state() == app::HostState::idle);
  CHECK(moment(end) == after_run);
  say(app::HostResumed{5});
  say(app::HostReady{});  // a second time
  CHECK(moment(end) == after_run);

  bench.run("y = 1");
  bench.connection.update();
  bench.host.stop_at(stop_with(6), nullptr);
  bench.connection.update();
  core::SnapshotInfo at_stop;
  at_stop.run = 2;
  at_stop.scanned = core::Scanned::stop;
  const app::Moment there = moment(at_stop);
  REQUIRE(bench.state() == app::HostState::stopped);
  REQUIRE(there.at_stop);
  say(app::HostResumed{5});  // of another stop
  say(app::HostRunStarted{2});  // a second time
  CHECK(bench.state() == app::HostState::stopped);
  CHECK(moment(at_stop) == there);
}

TEST_CASE("without a link there is a recording and nothing to ask", "[window][connection]") {
  app::OutputModel output;
  app::Notices notices;
  app::JobPool jobs;
  app::TaskRunner tasks(jobs);
  app::HostConnection connection(nullptr, output, notices, tasks, {});
  core::RunOutcome finished;
  finished.outcome = core::Outcome::finished;
  connection.show(app::HostSession::recorded("Python 3.11", finished));
  connection.want({.asker = "inspector", .ticket = 1, .kind = "struct", .text = "{}"});
  connection.ask(app::session_event::ScanAsked{});
  CHECK_FALSE(connection.update());
  CHECK(connection.session().state() == app::HostState::idle);
  REQUIRE(connection.session().questions().reply("inspector") != nullptr);
  CHECK(connection.session().questions().reply("inspector")->error == "gone");
}

}  // namespace dlscope::tests
