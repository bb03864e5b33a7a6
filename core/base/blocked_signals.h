// BlockedSignals: scope guard that blocks every signal except faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) for the calling
// thread. Threads started inside the scope inherit the mask, so that the kernel delivers signals to the thread that handles them:
// in the host, Python's main thread. The destructor restores the previous mask and must run on the same thread.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace dlscope::core {

// before: gets the mask that the calling thread had; null: it is lost.
inline void block_signals_but_faults(sigset_t* before = nullptr) {
  sigset_t set;
  sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&set, fault);
  pthread_sigmask(SIG_SETMASK, &set, before);
}

class BlockedSignals {
 public:
  BlockedSignals() { block_signals_but_faults(&before_); }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace dlscope::core
