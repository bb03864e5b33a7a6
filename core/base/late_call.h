// LateCall: calls a function on a thread of its own if the object still exists after a while: for work that as a rule is over
// before anybody wants to hear how far it is.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace dlscope::core {

class LateCall {
 public:
  // call: made at most once; what it throws is dropped. If the system refuses a thread, it is not made.
  LateCall(std::chrono::milliseconds after, std::function<void()> call);
  ~LateCall();  // from here on the call is not begun any more; blocks while it runs
  LateCall(const LateCall&) = delete;
  LateCall& operator=(const LateCall&) = delete;

 private:
  std::jthread thread_;  // blocks signals, as every thread of ours
};

}  // namespace dlscope::core
