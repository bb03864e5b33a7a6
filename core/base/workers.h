// Runs work on several threads and waits for all of them. The threads block every signal, so that signals meant for the user's
// program are never delivered to them.
#pragma once

#include <cstddef>
#include <functional>

namespace dlscope::core {

// Calls work(0) on the caller's thread and work(1) ... work(count - 1) on new threads; blocks until all calls have returned. When
// the system refuses more threads, fewer calls are made (work(0) always is): `work` must therefore take its share from a common
// queue or counter instead of deriving it from its number. `work` must not throw.
void run_workers(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace dlscope::core
