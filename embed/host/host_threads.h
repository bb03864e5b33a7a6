// What the host's own threads have in common: they get no signals, and leave before a fork.
#pragma once

#include <sys/types.h>

namespace dlscope::embed {

// thread: the new one. Signals are for Python's main thread; a fault belongs to whoever met it.
void block_signals_but_faults();

// The kernel counts a thread for a moment after it has ended. Waits at most ten milliseconds.
void wait_until_thread_is_gone(pid_t id);

}  // namespace dlscope::embed
