#include "app/models/jobs/task_list.h"

#include "app/models/text/format.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace dlscope::app {
namespace {

using namespace std::chrono_literals;
const TaskList::Clock::time_point kStart = TaskList::Clock::now();

}  // namespace

TEST_CASE("a task waits, runs with a rate and a time left, and ends once", "[app][tasks]") {
  TaskList tasks;
  const auto id = tasks.add("Searching x", TaskUnit::bytes, true, kStart);
  CHECK(progress_text(*tasks.find(id)) == "waits");
  CHECK(tasks.open_count() == 1);
  constexpr std::uint64_t kGiB = 1u << 30;
  tasks.progress(id, 0, 4 * kGiB, kStart + 1s);
  tasks.progress(id, kGiB, 4 * kGiB, kStart + 2s);
  const TaskEntry& task = *tasks.find(id);
  CHECK(task.state == TaskState::running);
  CHECK(task.rate == static_cast<double>(kGiB));
  CHECK(task.part() == 0.25);
  CHECK(task.time_left() == 3s);
  CHECK(progress_text(task) == "1.0 GiB of 4.0 GiB, 1.0 GiB/s, 3 s left");
  tasks.end(id, TaskState::done, "7 found", kStart + 5s);
  tasks.end(id, TaskState::failed, "too late", kStart + 6s);
  tasks.progress(id, 1, 2, kStart + 6s);
  CHECK(task.state == TaskState::done);
  CHECK(task.message == "7 found");
  CHECK(task.ended == kStart + 5s);
  CHECK(tasks.open_count() == 0);
}

TEST_CASE("a rate follows what is measured, not every message", "[app][tasks]") {
  TaskList tasks;
  const auto id = tasks.add("t", TaskUnit::tensors, true, kStart);
  tasks.progress(id, 0, 1000, kStart);
  tasks.progress(id, 1, 1000, kStart + 1ms);
  CHECK(tasks.find(id)->rate == 0);
  CHECK_FALSE(tasks.find(id)->time_left());
  tasks.progress(id, 100, 1000, kStart + 1s);
  CHECK(tasks.find(id)->rate == 100);
  tasks.progress(id, 100, 1000, kStart + 2s);  // it stalls: the rate falls, the time left grows
  CHECK(tasks.find(id)->rate < 100);
  CHECK(tasks.find(id)->rate > 0);
  CHECK(*tasks.find(id)->time_left() > 9s);
  tasks.progress(id, 50, 1000, kStart + 3s);  // a number that falls is no rate
  CHECK(tasks.find(id)->rate > 0);
}

TEST_CASE("what has no total has no part and no time left", "[app][tasks]") {
  TaskList tasks;
  const auto id = tasks.add("t", TaskUnit::elements, false, kStart);
  tasks.progress(id, 12'345, 0, kStart + 1s);
  CHECK_FALSE(tasks.find(id)->part());
  CHECK(progress_text(*tasks.find(id)).starts_with(grouped(12'345) + " elements"));
  tasks.progress(id, 20, 10, kStart + 2s);  // more than all of it
  CHECK(tasks.find(id)->part() == 1.0);
  CHECK_FALSE(tasks.find(id)->time_left());
}

TEST_CASE("the status bar names the oldest task that takes longer than a moment", "[app][tasks]") {
  TaskList tasks;
  CHECK(tasks.shown(kStart) == nullptr);
  const auto first = tasks.add("first", TaskUnit::none, true, kStart);
  const auto second = tasks.add("second", TaskUnit::none, true, kStart);
  CHECK(tasks.shown(kStart + 10ms) == nullptr);
  REQUIRE(tasks.shown(kStart + 1s) != nullptr);
  CHECK(tasks.shown(kStart + 1s)->id == first);
  tasks.end(first, TaskState::cancelled, {}, kStart + 1s);
  CHECK(tasks.shown(kStart + 1s)->id == second);
}

TEST_CASE("ended tasks leave when there are many, open ones never; unknown numbers are ignored", "[app][tasks]") {
  TaskList tasks;
  const auto open = tasks.add("open", TaskUnit::none, true, kStart);
  for (std::size_t i = 0; i < TaskList::kMaxEnded + 20; ++i)
    tasks.end(tasks.add("t", TaskUnit::none, true, kStart), TaskState::done, {}, kStart);
  CHECK(tasks.all().size() == TaskList::kMaxEnded + 1);
  CHECK(tasks.find(open) != nullptr);
  tasks.progress(99'999, 1, 1, kStart);
  tasks.note_cancel(99'999);
  tasks.end(99'999, TaskState::failed, {}, kStart);
  tasks.note_cancel(open);
  CHECK(tasks.find(open)->cancel_asked);
  tasks.clear_ended();
  CHECK(tasks.all().size() == 1);
}

TEST_CASE("a task that outlasts many later ones is there when it has ended", "[app][tasks]") {
  TaskList tasks;
  const auto slow = tasks.add("slow", TaskUnit::none, true, kStart);
  for (std::size_t i = 0; i < TaskList::kMaxEnded; ++i)
    tasks.end(tasks.add("t", TaskUnit::none, true, kStart), TaskState::done, {}, kStart + std::chrono::seconds(i));
  tasks.end(slow, TaskState::failed, "why", kStart + std::chrono::minutes(5));
  CHECK(tasks.all().size() == TaskList::kMaxEnded);
  REQUIRE(tasks.find(slow) != nullptr);
  CHECK(tasks.find(slow)->message == "why");
}

}  // namespace dlscope::app
