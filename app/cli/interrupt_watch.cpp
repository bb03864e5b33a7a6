#include "app/cli/interrupt_watch.h"

#include <signal.h>

#include <ctime>
#include <initializer_list>

namespace dlscope::app {
namespace {

sigset_t set_of(std::initializer_list<int> numbers) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : numbers) sigaddset(&signals, signal);
  return signals;
}
sigset_t watched_signals() { return set_of({SIGINT, SIGTERM, SIGHUP}); }
sigset_t script_signals() { return set_of({SIGUSR1, SIGUSR2, SIGALRM}); }

std::optional<SentSignal> take_one_of(const sigset_t& signals) {
  const timespec at_once{0, 0};
  siginfo_t info{};
  const int signal = ::sigtimedwait(&signals, &info, &at_once);
  if (signal <= 0) return std::nullopt;
  const bool is_sent = info.si_code <= 0;  // by a process: SI_USER and the like
  return SentSignal{signal, is_sent ? info.si_pid : 0};
}

}  // namespace

InterruptWatch::InterruptWatch() {
  for (const sigset_t& signals : {watched_signals(), script_signals()}) ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::optional<SentSignal> InterruptWatch::take() { return take_one_of(watched_signals()); }
std::optional<SentSignal> InterruptWatch::take_for_script() { return take_one_of(script_signals()); }

void InterruptWatch::release() {
  while (take()) {  // extra key presses are no reason to lose the report
  }
  const sigset_t signals = watched_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace dlscope::app
