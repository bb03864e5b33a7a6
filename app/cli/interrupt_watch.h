// InterruptWatch: the signals of a run without a window.
// thread: main.
#pragma once

#include <sys/types.h>

#include <optional>

namespace dlscope::app {

struct SentSignal {
  int number = 0;
  pid_t sender = 0;  // 0: the kernel, or a process that cannot be seen from here
};

// Signals that ask us to stop, and those that are meant for the script (a batch system sends them to the whole job): blocked in
// the whole process, taken one by one.
class InterruptWatch {
 public:
  InterruptWatch();  // before any thread is started
  // SIGINT, SIGTERM or SIGHUP when one arrived since the last call.
  [[nodiscard]] std::optional<SentSignal> take();
  // SIGUSR1, SIGUSR2 or SIGALRM.
  [[nodiscard]] std::optional<SentSignal> take_for_script();
  // The run is over: from here on those that ask us to stop end the program as usual, and the others do nothing.
  void release();
};

}  // namespace dlscope::app
