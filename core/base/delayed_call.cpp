#include "core/base/delayed_call.h"

#include <pthread.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <utility>

#include "core/base/blocked_signals.h"
#include "core/base/own_threads.h"

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

DelayedCall::DelayedCall(std::chrono::milliseconds after, std::function<void()> call) {
  const BlockedSignals blocked;
  try {
    thread_ = std::jthread([after, call = std::move(call)](const std::stop_token& stop) {
      pthread_setname_np(pthread_self(), kTaskThread);  // not one of the script's
      wait_and_call(stop, after, call);
    });
  } catch (const std::exception&) {  // neither memory nor threads are left: the call is not made
  }
}

DelayedCall::~DelayedCall() = default;

}  // namespace dlscope::core
