// DelayedCall: calls a function on a thread of its own if the object still exists after a while: for work that as a rule is over
// before anybody wants to hear how far it is.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace dlscope::core {

class DelayedCall {
 public:
  // call: made at most once; what it throws is dropped. If the system refuses a thread, it is not made.
  DelayedCall(std::chrono::milliseconds after, std::function<void()> call);
  ~DelayedCall();  // from here on the call is not begun any more; blocks while it runs
  DelayedCall(const DelayedCall&) = delete;
  DelayedCall& operator=(const DelayedCall&) = delete;

 private:
  std::jthread thread_;  // blocks signals, as every thread of ours
};

}  // namespace dlscope::core
