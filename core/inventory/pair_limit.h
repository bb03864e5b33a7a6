// The most pairs of tensors that a snapshot may list, depending on the machine's memory.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// available_bytes: from available_memory(). At least a million. More, up to 2^22 (a report of some 800 MB), as long as all copies
// of the list together (in the host, in the shared region and in the viewer) take at most an eighth of that memory. thread: any.
[[nodiscard]] std::uint64_t pair_limit(std::optional<std::uint64_t> available_bytes);

}  // namespace dlscope::core
