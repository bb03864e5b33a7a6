// Work divided into parts for several threads. The division must not depend on the number of threads, so that the result does
// not, either.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <thread>

#include "core/base/workers.h"

namespace dlscope::core {

// How many threads work on the parts. `wanted` 0: one for each `parts_per_thread` parts, at most four, and not more than cores.
// (useful_threads() of core/base/workers.h goes up to eight, which work that waits for memory has no use for.)
[[nodiscard]] inline std::size_t threads_for_parts(std::size_t wanted, std::size_t parts, std::size_t parts_per_thread) {
  constexpr std::size_t kMaxThreads = 4;
  if (wanted != 0) return std::min(wanted, std::max<std::size_t>(parts, 1));
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
  return std::clamp<std::size_t>(parts / parts_per_thread, 1, cores);
}

// Calls work(part, scratch) for the parts 0 to `parts` - 1, in any order, on that many threads; each has a Scratch of its own.
// Throws std::bad_alloc if a call did.
template <class Scratch, class Work>
void for_each_part(std::size_t parts, std::size_t threads, Work work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> no_memory{false};
  run_workers(threads, [&](std::size_t) {
    try {
      Scratch scratch;
      for (std::size_t i = next++; i < parts; i = next++) work(i, scratch);
    } catch (const std::bad_alloc&) {
      no_memory = true;
    }
  });
  if (no_memory) throw std::bad_alloc();
}

}  // namespace dlscope::core
