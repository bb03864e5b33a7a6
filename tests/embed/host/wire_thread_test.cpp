#include "embed/host/wire_thread.h"

#include <catch2/catch_test_macros.hpp>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <semaphore>
#include <string>
#include <string_view>

namespace {

thread_local bool no_memory = false;  // for what this thread asks of operator new

}  // namespace

void* operator new(std::size_t bytes) {
  void* const got = no_memory ? nullptr : std::malloc(bytes);
  if (got == nullptr) throw std::bad_alloc();
  return got;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace dlscope::embed {
namespace {

// A thread that waits until it is woken, as the wire's does.
struct Listener {
  std::atomic<int> begun{0}, passes{0};
  std::atomic<pid_t> id{0};
  std::atomic<bool> blocks_sigint{false};
  std::counting_semaphore<> wakeups{0};
  std::string noticed;
  WireThread thread{{.begin =
                         [this] {
                           ++begun;
                           id = gettid();
                           sigset_t blocked;
                           pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
                           blocks_sigint = sigismember(&blocked, SIGINT) == 1;
                         },
                     .pass =
                         [this] {
                           ++passes;
                           wakeups.acquire();
                         },
                     .wake = [this] { wakeups.release(); },
                     .notice = [this](std::string_view text) { noticed = text; }}};

  [[nodiscard]] bool is_counted() const { return std::filesystem::exists("/proc/self/task/" + std::to_string(id)); }
};

TEST_CASE("the wire's thread is gone before a fork and there again after it", "[host][wire_thread]") {
  Listener listener;
  REQUIRE(listener.thread.start());
  CHECK(listener.thread.restart() == WireThread::Restart::done);  // it runs
  listener.thread.end();
  CHECK(listener.begun == 1);
  CHECK(listener.blocks_sigint);  // Stop is for Python's thread
  CHECK_FALSE(listener.is_counted());

  REQUIRE(listener.thread.restart() == WireThread::Restart::done);
  listener.thread.end();
  CHECK(listener.begun == 2);
  CHECK(listener.passes <= 2);
  CHECK(listener.noticed.empty());
}

TEST_CASE("a thread that there is no memory for is started later, and no exception reaches the script", "[host][wire_thread]") {
  Listener listener;
  no_memory = true;
  const WireThread::Restart without = listener.thread.restart();
  no_memory = false;
  CHECK(without == WireThread::Restart::later);
  CHECK(listener.thread.restart() == WireThread::Restart::later);  // not before some time has passed
  listener.thread.forget_failed_starts();
  REQUIRE(listener.thread.restart() == WireThread::Restart::done);
  listener.thread.end();
  CHECK(listener.begun == 1);
}

}  // namespace
}  // namespace dlscope::embed
