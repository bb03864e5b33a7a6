// BlockedSignals: while it lives no signal is delivered to this thread but faults, and threads started meanwhile inherit that:
// signals are for the thread that expects them, in a host Python's main thread.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace dlscope::core {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t set;
    sigfillset(&set);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&set, fault);
    pthread_sigmask(SIG_SETMASK, &set, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace dlscope::core
