// Acts as the window's connection to the host knows them: the session is told when one is sent and when it has ended, and Stop
// reaches the act itself.
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/window/host/host_connection.h"
#include "tests/app/window/parts/fake_link.h"

namespace dlscope::tests {
namespace {

struct Bench {
  FakeHost host;
  app::OutputModel output;
  app::Notices notices;
  app::JobPool jobs;
  app::TaskRunner tasks{jobs};
  app::HostConnection connection{std::make_unique<FakeLink>(host), output, notices, tasks, [] {}};
  std::vector<std::string> states_at_the_end;  // of the session, as whoever started the act sees it

  Bench() {
    host.found_python();
    host.ready();
    connection.update();
  }
  std::uint64_t copy() {
    return connection.work().start(core::wire::CopyTensor{}, "Copying x", {.ended = [this](const app::HostWorkEnded&) {
                                     states_at_the_end.emplace_back(app::host_state_word(session().state()));
                                     connection.ask(app::session_event::ScanAsked{});
                                   }});
  }
  void end(std::uint64_t id, core::wire::WorkOutcome how = core::wire::WorkOutcome::done) {
    host.events.emplace_back(app::HostEvent{app::HostWorkEnded{id, how, {}, {}}});
    connection.update();
  }
  [[nodiscard]] const app::HostSession& session() const { return connection.session(); }
};

}  // namespace

TEST_CASE("an act is what the host does until it ends; whoever started it may then ask for a scan", "[window][connection][acts]") {
  Bench bench;
  const std::uint64_t id = bench.copy();
  CHECK(bench.session().state() == app::HostState::acting);
  CHECK(bench.session().act() == "Copying x");
  CHECK(bench.session().can_stop());
  bench.end(id);
  CHECK(bench.states_at_the_end == std::vector<std::string>{"idle"});
  CHECK(bench.session().state() == app::HostState::scanning);
}

TEST_CASE("Stop cancels the act in the host, and the list of tasks says so", "[window][connection][acts]") {
  Bench bench;
  const std::uint64_t id = bench.copy();
  bench.connection.ask(app::session_event::InterruptAsked{});
  CHECK(bench.host.cancelled == std::vector<std::uint64_t>{id});
  CHECK(bench.tasks.list().all().front().cancel_asked);
  CHECK(bench.tasks.list().all().front().is_open());  // until the host says so
  CHECK(bench.session().state() == app::HostState::stopping);
  CHECK(bench.session().act() == "Copying x");
  bench.end(id, core::wire::WorkOutcome::cancelled);
  CHECK(bench.tasks.list().all().front().state == app::TaskState::cancelled);
  CHECK(bench.states_at_the_end == std::vector<std::string>{"idle"});
}

TEST_CASE("a task is no act: Python stays idle while one runs", "[window][connection][acts]") {
  Bench bench;
  CHECK(bench.connection.work().start(core::wire::FindValue{}, "Searching x") != 0);
  CHECK(bench.session().state() == app::HostState::idle);
  CHECK(bench.session().act().empty());
}

TEST_CASE("an act that no host takes is none", "[window][connection][acts]") {
  Bench bench;
  app::HostConnection nobody{nullptr, bench.output, bench.notices, bench.tasks, [] {}};
  CHECK(nobody.work().start(core::wire::CopyTensor{}, "Copying x") == 0);
  CHECK(nobody.session().act().empty());
  CHECK(nobody.session().state() == app::HostState::absent);
}

}  // namespace dlscope::tests
