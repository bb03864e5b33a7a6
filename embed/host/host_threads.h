// What the host's own threads have in common: they get no signals, compute in the default floating-point environment, and leave
// before a fork.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <mutex>
#include <vector>

namespace dlscope::embed {

// thread: the new one. Signals are for Python's main thread (core::block_signals_but_faults()), and what the user's thread that
// started this one may have set for its own arithmetic (flushed subnormals, rounding) does not apply.
void begin_own_thread();

// A signal that does nothing but end a system call of the thread that gets it. Where the program uses that signal itself
// (SIGURG), it is left alone.
void prepare_to_end_system_calls();
void end_system_call(pthread_t thread);

// The kernel counts a thread for a moment after it has ended. Waits at most ten milliseconds.
void wait_until_thread_is_gone(pid_t id);

// The started threads that the kernel may still count. thread: any.
class StartedThreads {
 public:
  // thread: the new one. Where memory is short it is not noted.
  void note_this() noexcept;
  // wait_until_thread_is_gone() for each; forgets them.
  void wait_until_gone();
  [[nodiscard]] std::size_t size();

 private:
  std::mutex mutex_;
  std::vector<pid_t> ids_;
};

}  // namespace dlscope::embed
