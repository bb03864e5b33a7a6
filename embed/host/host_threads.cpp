#include "embed/host/host_threads.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "core/base/float_environment.h"

namespace dlscope::embed {

void block_signals_but_faults() {
  sigset_t set;
  sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&set, fault);
  pthread_sigmask(SIG_SETMASK, &set, nullptr);
}

void begin_own_thread() {
  block_signals_but_faults();
  core::use_default_float_environment();
}

namespace {

void do_nothing(int) {}

}  // namespace

void prepare_to_end_system_calls() {
  struct sigaction now {};
  if (sigaction(SIGURG, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = do_nothing;  // no SA_RESTART: the call is to end
  sigaction(SIGURG, &ours, nullptr);
}

void end_system_call(pthread_t thread) {
  struct sigaction now {};
  if (sigaction(SIGURG, nullptr, &now) == 0 && now.sa_handler == do_nothing) pthread_kill(thread, SIGURG);
}

void wait_until_thread_is_gone(pid_t id) {
  const std::string task = fmt::format("/proc/self/task/{}", id);
  for (int look = 0; look < 100 && access(task.c_str(), F_OK) == 0; ++look)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace dlscope::embed
