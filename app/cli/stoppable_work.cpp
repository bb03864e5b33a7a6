#include "app/cli/stoppable_work.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "app/cli/standard_streams.h"

namespace dlscope::app {
namespace {

constexpr std::chrono::milliseconds kLook{50};  // poll interval for signals and the time limit

// Unlike that of std::async, the destructor of this future does not wait. Where no thread can be made, the work is done before this
// returns.
std::future<void> start(std::function<void()> work) {
  const auto task = std::make_shared<std::packaged_task<void()>>(std::move(work));
  auto done = task->get_future();
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {  // EAGAIN
    static std::atomic_flag said;
    if (!said.test_and_set())
      say("no more threads can be made (a limit of processes or memory): files are read and written without a time limit, and "
          "Ctrl+C takes effect only afterwards");
    (*task)();
  }
  return done;
}

}  // namespace

bool ends_within(std::chrono::milliseconds patience, std::function<void()> work) {
  auto done = start(std::move(work));
  if (done.wait_for(patience) != std::future_status::ready) return false;
  done.get();
  return true;
}

bool ends_unless_stalled(std::chrono::milliseconds patience, std::function<void(const std::function<void()>& moves)> work) {
  using Clock = StoppableWork::Clock;
  const auto moved = std::make_shared<std::atomic<std::uint64_t>>(0);
  auto done = start([moved, work = std::move(work)] { work([&moved] { moved->fetch_add(1, std::memory_order_relaxed); }); });
  std::uint64_t seen = 0;
  auto give_up = Clock::now() + patience;
  while (done.wait_for(std::min(kLook, patience)) != std::future_status::ready) {
    const std::uint64_t now = moved->load(std::memory_order_relaxed);
    if (std::exchange(seen, now) != now)
      give_up = Clock::now() + patience;
    else if (Clock::now() >= give_up)
      return false;
  }
  done.get();
  return true;
}

bool StoppableWork::run(std::string_view consequence, std::function<void(const std::stop_token&)> work) {
  auto done = start([work = std::move(work), stop = stop_.get_token()] { work(stop); });
  auto give_up = stopped_by_ ? Clock::now() + patience_ : Clock::time_point::max();
  while (done.wait_for(kLook) != std::future_status::ready) {
    if (Clock::now() >= give_up) return false;
    const bool interrupted = interrupts_.take().has_value();
    if (stopped_by_ || (!interrupted && Clock::now() < deadline_)) continue;
    stopped_by_ = interrupted ? core::Outcome::interrupted : core::Outcome::timeout;
    say(fmt::format("{}: {}", interrupted ? "interrupted" : "time-out", consequence));
    stop_.request_stop();
    give_up = Clock::now() + patience_;
  }
  done.get();
  return true;
}

}  // namespace dlscope::app
