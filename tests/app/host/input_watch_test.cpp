// That a process was stopped by somebody is noticed whatever it does, and not remembered after it went on.
#include "app/host/input_watch.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <thread>

namespace dlscope::app {
namespace {

using std::chrono::milliseconds;

class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    if (pid_ != 0) return;
    for (;;) ::pause();
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

bool within_seconds(const auto& done) {
  for (int i = 0; i < 3000 && !done(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return done();
}

}  // namespace

TEST_CASE("an idle process that is stopped by somebody is noticed, and that it goes on", "[app][host]") {
  const Sleeper child;
  std::atomic<int> woken{0};
  InputWatch watch(child.pid(), [&] { ++woken; });
  CHECK_FALSE(watch.suspended());
  ::kill(child.pid(), SIGSTOP);
  REQUIRE(within_seconds([&] { return watch.suspended(); }));
  CHECK(within_seconds([&] { return woken == 1; }));
  watch.watch(true);  // something was asked of it
  watch.watch(false);
  std::this_thread::sleep_for(milliseconds(300));
  CHECK(watch.suspended());  // it is stopped all the same
  ::kill(child.pid(), SIGCONT);
  REQUIRE(within_seconds([&] { return !watch.suspended(); }));
  watch.watch(true);
  for (int i = 0; i < 30; ++i, std::this_thread::sleep_for(milliseconds(10))) REQUIRE_FALSE(watch.suspended());
  CHECK_FALSE(watch.waiting());
}

}  // namespace dlscope::app
