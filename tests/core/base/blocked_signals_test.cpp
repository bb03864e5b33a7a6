#include "core/base/blocked_signals.h"

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>
#include <stdexcept>
#include <thread>

#include "core/base/workers.h"

namespace dlscope::core {
namespace {

bool is_blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

// A signal meant for the user's program, and a fault, which must reach the thread that made it.
bool is_ours() { return is_blocked(SIGINT) && is_blocked(SIGALRM) && !is_blocked(SIGSEGV) && !is_blocked(SIGBUS); }

}  // namespace

TEST_CASE("threads started in the scope block signals for their life, and the thread that starts them only in the scope",
          "[core][base]") {
  bool in_thread = false;
  std::thread thread;
  {
    const BlockedSignals blocked;
    CHECK(is_ours());
    thread = std::thread([&] { in_thread = is_ours(); });
  }
  CHECK_FALSE(is_blocked(SIGINT));
  thread.join();
  CHECK(in_thread);
}

TEST_CASE("the mask is restored when the thread cannot be started", "[core][base]") {
  try {
    const BlockedSignals blocked;
    throw std::runtime_error("as std::thread does at a limit");
  } catch (const std::runtime_error&) {
  }
  CHECK_FALSE(is_blocked(SIGINT));
}

TEST_CASE("workers block the user's signals, and the caller's thread does not", "[core][base]") {
  enum class Seen { nothing, ours, not_ours };
  Seen seen[4] = {};
  run_workers(4, [&](std::size_t number) { seen[number] = is_ours() ? Seen::ours : Seen::not_ours; });
  CHECK(seen[0] == Seen::not_ours);
  for (const std::size_t number : {1u, 2u, 3u}) CHECK(seen[number] != Seen::not_ours);  // nothing: the system had no thread left
}

}  // namespace dlscope::core
