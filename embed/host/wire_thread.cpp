#include "embed/host/wire_thread.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <utility>

#include "core/base/blocked_signals.h"
#include "core/base/clock.h"
#include "core/base/own_threads.h"
#include "embed/host/host_threads.h"

namespace dlscope::embed {

using namespace std::chrono_literals;

namespace {

constexpr std::chrono::nanoseconds kBetweenStarts = 10ms;  // of a thread that the system does not give
constexpr int kMaxFailedStarts = 30;                       // while Python waits for nothing: pending calls slow it down

}  // namespace

WireThread::WireThread(Work work) : work_(std::move(work)) {}

bool WireThread::start() {
  ends_ = false;
  try {
    const core::BlockedSignals blocked;  // the new thread inherits it: no signal slips through at its start
    thread_ = std::thread([this] {
      begin_own_thread();
      pthread_setname_np(pthread_self(), core::kWireThread);
      id_ = gettid();
      work_.begin();
      while (!ends_) work_.pass();
    });
  } catch (const std::exception&) {  // EAGAIN, or no memory; thread_ stays without one
  }
  return thread_.joinable();
}

WireThread::Restart WireThread::restart() {
  if (thread_.joinable()) return Restart::done;
  const std::int64_t now = core::monotonic_ns();
  if (now < next_start_ns_) return Restart::later;
  if (start()) {
    forget_failed_starts();
    return Restart::done;
  }
  next_start_ns_ = now + kBetweenStarts.count();
  if (++failed_starts_ < kMaxFailedStarts) return Restart::later;
  if (failed_starts_ > kMaxFailedStarts) return Restart::given_up;
  try {
    work_.notice(
        "Stop does not work at the moment: under the limit of this user's processes and threads (RLIMIT_NPROC) a child process "
        "took the place of the thread that listens for it. The next try is when the script forks again or has ended.");
  } catch (const std::exception&) {  // std::bad_alloc, not the script's MemoryError: said after the next try
    --failed_starts_;
    return Restart::later;
  }
  return Restart::given_up;
}

void WireThread::end() {
  ends_ = true;
  work_.wake();
  thread_.join();
  wait_until_thread_is_gone(id_);
}

}  // namespace dlscope::embed
