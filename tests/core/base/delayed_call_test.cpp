#include "core/base/delayed_call.h"

#include <signal.h>
#include <catch2/catch_test_macros.hpp>

#include <future>
#include <new>

namespace dlscope::core {

using namespace std::chrono_literals;

TEST_CASE("a late call is made while its object lasts, once, on a thread that blocks signals except faults", "[core][base]") {
  std::promise<bool> called;
  const DelayedCall late(0ms, [&] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    called.set_value(sigismember(&blocked, SIGINT) == 1 && sigismember(&blocked, SIGTERM) == 1 &&
                     sigismember(&blocked, SIGSEGV) == 0);
  });
  CHECK(called.get_future().get());
}

TEST_CASE("work that is over in time is not told about, and waits for nobody", "[core][base]") {
  bool called = false;
  { const DelayedCall late(24h, [&] { called = true; }); }
  CHECK_FALSE(called);
}

TEST_CASE("the object outlives a call that was begun, and what the call throws is dropped", "[core][base]") {
  std::promise<void> begun;
  bool ended = false;
  {
    const DelayedCall late(0ms, [&] {
      begun.set_value();
      std::this_thread::sleep_for(20ms);
      ended = true;
      throw std::bad_alloc();
    });
    begun.get_future().wait();
  }
  CHECK(ended);
}

}  // namespace dlscope::core
