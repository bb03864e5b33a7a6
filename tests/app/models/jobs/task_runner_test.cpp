#include "app/models/jobs/task_runner.h"

#include <catch2/catch_test_macros.hpp>

#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace dlscope::app {
namespace {

struct Bench {
  JobPool jobs;
  TaskRunner tasks{jobs};
  std::vector<TaskEntry> ended;
  auto note() {
    return [this](const TaskEntry& task) { ended.push_back(task); };
  }
  void finish() {
    jobs.finish_all();
    tasks.update();
  }
};

}  // namespace

TEST_CASE("a task runs, says how far it is and ends once with what there is to know", "[app][tasks]") {
  Bench bench;
  std::latch halfway(1), go_on(1);
  const auto id = bench.tasks.start(
      "Saving", TaskUnit::records,
      [&](TaskProgress& progress) -> core::Result<std::string> {
        progress.report(50, 100);
        halfway.count_down();
        go_on.wait();
        progress.report(100, 100);
        return "saved";
      },
      bench.note());
  halfway.wait();
  CHECK(bench.tasks.update());
  CHECK(bench.tasks.list().find(id)->state == TaskState::running);
  CHECK(bench.tasks.list().find(id)->done == 50);
  go_on.count_down();
  bench.finish();
  REQUIRE(bench.ended.size() == 1);
  CHECK(bench.ended[0].state == TaskState::done);
  CHECK(bench.ended[0].message == "saved");
  CHECK(bench.ended[0].done == 100);
  CHECK_FALSE(bench.tasks.update());
  bench.tasks.cancel(id);  // too late: nothing happens
  CHECK(bench.tasks.list().find(id)->state == TaskState::done);
}

TEST_CASE("a task that fails or throws says why", "[app][tasks]") {
  Bench bench;
  bench.tasks.start(
      "a", TaskUnit::none,
      [](TaskProgress&) -> core::Result<std::string> { return core::fail(core::ErrorKind::environment, "disk full"); },
      bench.note());
  bench.tasks.start(
      "b", TaskUnit::none, [](TaskProgress&) -> core::Result<std::string> { throw std::runtime_error("no memory"); },
      bench.note());
  bench.finish();
  REQUIRE(bench.ended.size() == 2);
  CHECK(bench.ended[0].state == TaskState::failed);
  CHECK(bench.ended[0].message == "disk full");
  CHECK(bench.ended[1].state == TaskState::failed);
  CHECK(bench.ended[1].message.find("no memory") != std::string::npos);
}

TEST_CASE("a task is cancelled while it runs, and while it waits", "[app][tasks]") {
  Bench bench;
  std::latch started(1);
  bool ran = false;
  const auto running = bench.tasks.start(
      "long", TaskUnit::bytes,
      [&](TaskProgress& progress) -> core::Result<std::string> {
        started.count_down();
        while (progress.report(1, 2)) std::this_thread::yield();
        return core::fail(core::ErrorKind::environment, "could not be completed");
      },
      bench.note());
  const auto waiting = bench.tasks.start(
      "waits", TaskUnit::bytes,
      [&](TaskProgress&) -> core::Result<std::string> {
        ran = true;
        return {};
      },
      bench.note());
  started.wait();
  bench.tasks.cancel(waiting);
  REQUIRE(bench.ended.size() == 1);  // at once
  CHECK(bench.ended[0].id == waiting);
  bench.tasks.cancel(running);
  CHECK(bench.tasks.list().find(running)->cancel_asked);
  bench.finish();
  REQUIRE(bench.ended.size() == 2);
  CHECK(bench.ended[1].state == TaskState::cancelled);
  CHECK(bench.ended[1].message.empty());
  CHECK_FALSE(ran);
}

TEST_CASE("a disk that never answers holds up no task that needs none", "[app][tasks]") {
  Bench bench;
  std::latch answered(1), searched(1);
  bench.tasks.start(
      "Saving", TaskUnit::none,
      [&](TaskProgress&) -> core::Result<std::string> {
        answered.wait();
        return "saved";
      },
      bench.note(), Lane::disk_tasks);
  bench.tasks.start(
      "Searching", TaskUnit::none,
      [&](TaskProgress&) -> core::Result<std::string> {
        searched.count_down();
        return "found";
      },
      bench.note());
  searched.wait();  // for ever, if it waited for the disk
  answered.count_down();
  bench.finish();
  CHECK(bench.ended.size() == 2);
}

TEST_CASE("what was complete before the wish to cancel was noticed is done", "[app][tasks]") {
  Bench bench;
  std::latch started(1), go_on(1);
  const auto id = bench.tasks.start(
      "quick", TaskUnit::none,
      [&](TaskProgress&) -> core::Result<std::string> {
        started.count_down();
        go_on.wait();
        return "written";
      },
      bench.note());
  started.wait();
  bench.tasks.cancel(id);
  go_on.count_down();
  bench.finish();
  CHECK(bench.ended.at(0).state == TaskState::done);
}

TEST_CASE("work of somebody else is listed and its cancelling passed on", "[app][tasks]") {
  Bench bench;
  int cancels = 0;
  const auto id = bench.tasks.follow("Searching x", TaskUnit::bytes, [&] { ++cancels; });
  bench.tasks.list().progress(id, 10, 100, TaskList::Clock::now());
  bench.tasks.cancel(id);
  CHECK(cancels == 1);
  bench.tasks.list().end(id, TaskState::cancelled, {}, TaskList::Clock::now());
  bench.tasks.update();
  bench.tasks.cancel(id);
  CHECK(cancels == 1);
}

TEST_CASE("a pool that ends asks a running task to stop", "[app][tasks]") {
  std::latch started(1);
  bool stopped = false;
  {
    JobPool jobs;
    TaskRunner tasks(jobs);
    tasks.start("endless", TaskUnit::none, [&](TaskProgress& progress) -> core::Result<std::string> {
      started.count_down();
      while (!progress.cancelled()) std::this_thread::yield();
      stopped = true;
      return {};
    });
    started.wait();
  }
  CHECK(stopped);
}

}  // namespace dlscope::app
