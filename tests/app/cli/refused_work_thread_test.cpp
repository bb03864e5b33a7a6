// Work that may never return, where the system gives no thread for it (a limit of memory or of processes): it is done all the same.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <memory>
#include <stdexcept>

#include "app/cli/stoppable_work.h"

namespace {
std::atomic<bool> refused = false;
std::atomic<int> asked = 0;  // while refused
}  // namespace

// Instead of the C library's.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                                void* (*begin)(void*), void* argument) {
  if (refused) return ++asked, EAGAIN;
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return next(thread, attributes, begin, argument);
}

namespace dlscope::app {

TEST_CASE("work for which there is no thread is done on the calling one", "[app][cli]") {
  using namespace std::chrono_literals;
  InterruptWatch interrupts;
  StoppableWork stoppable(interrupts, StoppableWork::Clock::time_point::max());
  const auto done = std::make_shared<int>(0);
  asked = 0;
  refused = true;
  const bool within = ends_within(0ms, [done] { ++*done; });
  const bool moving = ends_unless_stalled(0ms, [done](const std::function<void()>& moves) { moves(), ++*done; });
  const bool stopped = stoppable.run("", [done](const std::stop_token&) { ++*done; });
  CHECK_THROWS_AS(stoppable.run("", [](const std::stop_token&) { throw std::runtime_error("as on a thread"); }), std::runtime_error);
  refused = false;
  CHECK((within && moving && stopped));
  CHECK(*done == 3);
  CHECK(asked == 4);
  CHECK_FALSE(stoppable.stopped_by());
  interrupts.release();
}

}  // namespace dlscope::app
