// Runs work on several threads and waits for all of it. The threads are ours alone: no signal of the user's program reaches them.
#pragma once

#include <cstddef>
#include <functional>

namespace dlscope::core {

// Calls work(0) on the caller's thread and work(1) ... work(count - 1) on others; where the system gives no more threads, fewer
// calls are made (work(0) always), so `work` must share out what is to be done by itself. `work` throws nothing.
void run_workers(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace dlscope::core
