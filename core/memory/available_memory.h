// How much memory a process can still allocate. To be asked before large allocations, because Linux overcommits: the allocation
// would succeed, and the process would be killed when it touches the pages. thread: any.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// Bytes available without swapping: MemAvailable of /proc/meminfo, or what the container's cgroup (v2) leaves if that is less.
// nullopt: the system does not say.
[[nodiscard]] std::optional<std::uint64_t> available_memory();

}  // namespace dlscope::core
