// How much memory a process may still have, before it asks for much of it: Linux grants what it does not have and kills later.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// Bytes that can be had without swapping: MemAvailable, or what the container's cgroup leaves where that is less. nullopt: the system does not say.
[[nodiscard]] std::optional<std::uint64_t> available_memory();

}  // namespace dlscope::core
