// Runs work on several threads and waits for all of them. The threads block every signal, so that signals meant for the user's
// program are never delivered to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace dlscope::core {

// Calls work(0) on the caller's thread and work(1) ... work(count - 1) on new threads; blocks until all calls have returned. When
// the system refuses more threads, fewer calls are made (work(0) always is): `work` must therefore take its share from a common
// queue or counter instead of deriving it from its number. What one of the calls throws is thrown again when all have ended.
void run_workers(std::size_t count, const std::function<void(std::size_t)>& work);

// How many threads are to share so many parts of work, each of a fraction of a millisecond: `wanted`; 0: as many as are of use, that
// is one for each core (eight at most) that gets several parts. At least 1, and never more than there are parts.
[[nodiscard]] unsigned useful_threads(unsigned wanted, std::uint64_t parts);

}  // namespace dlscope::core
