// Foreground: lends our terminal's foreground to the host of a headless run, so that input() works there. The host is in its own
// process group, so the kernel stops it when it reads the terminal. Only then does it get the foreground: until that moment
// Ctrl-C reaches us, who can also end a loop in C.
// thread: the one that waits for the host.
#pragma once

#include <sys/types.h>

#include "app/files/file_descriptor.h"

namespace dlscope::app {

class Foreground {
 public:
  Foreground();  // without a controlling terminal nothing below does anything
  ~Foreground() { take_back(); }
  Foreground(const Foreground&) = delete;
  Foreground& operator=(const Foreground&) = delete;

  // The host's group was stopped by `signal`. Reading the terminal: lend it the foreground and continue it. Ctrl-Z, or a read
  // while we are in the background ourselves: stop with it.
  void host_stopped(pid_t group, int signal);
  void take_back();

 private:
  [[nodiscard]] bool ours() const;
  void set(pid_t group) const;

  FileDescriptor terminal_;
  bool lent_ = false;
};

}  // namespace dlscope::app
