#include "app/window/host/host_work.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/app/window/parts/fake_link.h"

namespace dlscope::tests {
namespace {

using core::wire::WorkOutcome;

struct Bench {
  FakeHost host;
  FakeLink link{host};
  app::JobPool jobs;
  app::TaskRunner tasks{jobs};
  app::HostWork work{&link, tasks};
  std::vector<std::uint64_t> found;
  std::vector<app::HostWorkEnded> ended;

  std::uint64_t start() {
    return work.start(
        core::wire::FindValue{}, "Searching x",
        {.part = [this](const core::wire::WorkPart& part) { found.push_back(std::get<core::wire::ValueFound>(part).element); },
         .ended = [this](const app::HostWorkEnded& end) { ended.push_back(end); }});
  }
};

}  // namespace

TEST_CASE("work in the host is listed, heard of, and ends once", "[window][work]") {
  Bench bench;
  const std::uint64_t id = bench.start();
  REQUIRE(id == 1);
  bench.work.take(app::HostProgress{id, 50, 100, core::wire::ProgressUnit::elements});
  CHECK(bench.tasks.list().all().front().done == 50);
  CHECK(bench.tasks.list().all().front().unit == app::TaskUnit::elements);
  bench.work.take(app::HostPart{id, core::wire::ValueFound{7}});
  CHECK(bench.found == std::vector<std::uint64_t>{7});
  bench.work.take(app::HostWorkEnded{id, WorkOutcome::done, "3 found", {}});
  bench.work.take(app::HostWorkEnded{id, WorkOutcome::failed, "again", {}});
  bench.work.take(app::HostPart{id, core::wire::ValueFound{8}});
  CHECK(bench.ended.size() == 1);
  CHECK(bench.found.size() == 1);
  CHECK(bench.tasks.list().all().front().state == app::TaskState::done);
  CHECK(bench.tasks.list().all().front().message == "3 found");
}

TEST_CASE("Cancel in the list reaches the host; what the host says then is what is shown", "[window][work]") {
  Bench bench;
  const std::uint64_t id = bench.start();
  bench.tasks.cancel(bench.tasks.list().all().front().id);
  CHECK(bench.host.cancelled == std::vector<std::uint64_t>{id});
  CHECK(bench.tasks.list().all().front().is_open());  // until the host says so
  bench.work.take(app::HostWorkEnded{id, WorkOutcome::cancelled, {}, {}});
  CHECK(bench.tasks.list().all().front().state == app::TaskState::cancelled);
  bench.work.cancel(id);
  CHECK(bench.host.cancelled.size() == 1);
}

TEST_CASE("what nobody asked for is ignored, and without a link nothing starts", "[window][work]") {
  Bench bench;
  bench.work.take(app::HostProgress{99, 1, 2, {}});
  bench.work.take(app::HostWorkEnded{99, WorkOutcome::done, {}, {}});
  CHECK(bench.tasks.list().all().empty());
  app::HostWork nobody(nullptr, bench.tasks);
  CHECK(nobody.start(core::wire::FindValue{}, "x") == 0);
}

}  // namespace dlscope::tests
