#include "app/cli/stoppable_work.h"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <future>
#include <memory>
#include <thread>

namespace dlscope::app {
namespace {

using namespace std::chrono_literals;
using Clock = StoppableWork::Clock;

// Stands for a read that the kernel does not answer.
struct Silent {
  std::promise<void> answer;
  std::shared_future<void> answered = answer.get_future();
};

auto reading_of(const std::shared_ptr<Silent>& file) {
  return [file](const std::stop_token&) { file->answered.wait(); };
}

}  // namespace

TEST_CASE("work that ends is waited for, whatever it takes", "[app][cli]") {
  InterruptWatch interrupts;
  StoppableWork work(interrupts, Clock::time_point::max());
  const auto done = std::make_shared<bool>(false);
  CHECK(work.run("", [done](const std::stop_token& stop) { *done = !stop.stop_requested(); }));
  CHECK(*done);
  CHECK_FALSE(work.stopped_by());
  interrupts.release();
}

TEST_CASE("a read that is never answered ends at the time limit", "[app][cli]") {
  InterruptWatch interrupts;
  StoppableWork work(interrupts, Clock::now(), 0ms);
  const auto file = std::make_shared<Silent>();
  CHECK_FALSE(work.run("", reading_of(file)));
  CHECK(work.stopped_by() == core::Outcome::timeout);
  CHECK_FALSE(work.run("", reading_of(file)));
  file->answer.set_value();
  interrupts.release();
}

TEST_CASE("work that goes on is waited for, and work that stands still is left behind", "[app][cli]") {
  InterruptWatch interrupts;  // the thread that is left behind gets no signal of a later test
  const auto done = std::make_shared<int>(0);
  CHECK(dlscope::app::ends_unless_stalled(24h, [done](const std::function<void()>& moves) {
    for (; *done < 100; ++*done) moves();
  }));
  CHECK(*done == 100);
  const auto file = std::make_shared<Silent>();
  CHECK_FALSE(dlscope::app::ends_unless_stalled(1ms, [file](const std::function<void()>& moves) {
    moves();
    file->answered.wait();
  }));
  file->answer.set_value();
  interrupts.release();
}

TEST_CASE("a read that is never answered ends by a signal", "[app][cli]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    InterruptWatch interrupts;
    StoppableWork work(interrupts, Clock::time_point::max(), 0ms);
    const auto file = std::make_shared<Silent>();
    ::kill(::getpid(), signal);
    CHECK_FALSE(work.run("", reading_of(file)));
    CHECK(work.stopped_by() == core::Outcome::interrupted);
    file->answer.set_value();
    interrupts.release();
  }
}

TEST_CASE("work that hears the stop is waited for, and what comes after it is stopped from its beginning", "[app][cli]") {
  InterruptWatch interrupts;
  StoppableWork work(interrupts, Clock::now(), 24h);
  CHECK(work.run("", [](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  }));
  CHECK(work.stopped_by() == core::Outcome::timeout);
  const auto asked = std::make_shared<bool>(false);
  CHECK(work.run("", [asked](const std::stop_token& stop) { *asked = stop.stop_requested(); }));
  CHECK(*asked);
  interrupts.release();
}

TEST_CASE("what does not end within its time is left behind", "[app][cli]") {
  const auto file = std::make_shared<Silent>();
  CHECK_FALSE(ends_within(0ms, [file] { file->answered.wait(); }));
  file->answer.set_value();
  const auto done = std::make_shared<bool>(false);
  CHECK(ends_within(24h, [done] { *done = true; }));
  CHECK(*done);
}

}  // namespace dlscope::app
