#include "core/base/workers.h"

#include <pthread.h>
#include <signal.h>

#include <system_error>
#include <thread>
#include <vector>

namespace dlscope::core {

void run_workers(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  sigset_t before, all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // new threads inherit the mask
  try {
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
  } catch (const std::system_error&) {  // RLIMIT_NPROC reached: the threads already started do all the work
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  work(0);
}

}  // namespace dlscope::core
