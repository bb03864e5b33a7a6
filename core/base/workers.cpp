#include "core/base/workers.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/blocked_signals.h"

namespace dlscope::core {
namespace {

constexpr std::uint64_t kPartsPerThread = 4;  // fewer are not worth a thread
constexpr unsigned kMaxThreads = 8;

}  // namespace

void run_workers(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::mutex failing;
  std::exception_ptr failed;
  const auto guarded = [&](std::size_t number) {
    try {
      work(number);
    } catch (...) {  // as a rule for want of memory: on a thread of ours it would end the user's process
      const std::lock_guard lock(failing);
      if (!failed) failed = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    const BlockedSignals blocked;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&guarded, i] { guarded(i); });
  } catch (const std::exception&) {  // RLIMIT_NPROC reached, or no memory: the threads already started do all the work
  }
  guarded(0);
  threads.clear();  // waits for them
  if (failed) std::rethrow_exception(failed);
}

unsigned useful_threads(unsigned wanted, std::uint64_t parts) {
  const unsigned most = wanted != 0 ? wanted : std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted != 0 ? parts : parts / kPartsPerThread, 1, most));
}

}  // namespace dlscope::core
