#include "core/base/late_call.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <utility>

namespace dlscope::core {
namespace {

void wait_and_call(const std::stop_token& stop, std::chrono::milliseconds after, const std::function<void()>& call) {
  std::mutex mutex;
  std::condition_variable_any over;
  std::unique_lock lock(mutex);
  over.wait_for(lock, stop, after, [] { return false; });
  if (stop.stop_requested()) return;
  try {
    call();
  } catch (const std::exception&) {  // as a rule for want of memory: on a thread of ours it would end the user's process
  }
}

}  // namespace

LateCall::LateCall(std::chrono::milliseconds after, std::function<void()> call) {
  sigset_t before, all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // new threads inherit the mask
  try {
    thread_ = std::jthread([after, call = std::move(call)](const std::stop_token& stop) { wait_and_call(stop, after, call); });
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LateCall::~LateCall() = default;

}  // namespace dlscope::core
