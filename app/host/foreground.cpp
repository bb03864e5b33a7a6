#include "app/host/foreground.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace dlscope::app {

Foreground::Foreground() : terminal_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {}

bool Foreground::ours() const { return ::tcgetpgrp(terminal_.get()) == ::getpgrp(); }

void Foreground::set(pid_t group) const {
  // tcsetpgrp() from the background raises SIGTTOU: blocked here, for this thread only.
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  ::tcsetpgrp(terminal_.get(), group);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Foreground::host_stopped(pid_t group, int signal) {
  if (!terminal_) return;
  if (signal == SIGTSTP && lent_) {
    take_back();
    ::kill(0, SIGTSTP);  // stops the shell's whole job, as Ctrl-Z would have done; returns when continued
    if (ours()) {
      set(group);
      lent_ = true;
    }
    ::kill(-group, SIGCONT);
    return;
  }
  if (signal != SIGTTIN && signal != SIGTTOU) return;  // stopped by somebody on purpose, who will continue it
  if (!ours() && !lent_) {
    ::kill(::getpid(), SIGTTIN);  // in the background: stop until the shell's fg, like any job
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  if (ours()) {
    set(group);
    lent_ = true;
  }
  ::kill(-group, SIGCONT);
}

void Foreground::take_back() {
  if (!lent_) return;
  set(::getpgrp());
  lent_ = false;
}

}  // namespace dlscope::app
