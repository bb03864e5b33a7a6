// How many pairs of tensors a snapshot may list.
#pragma once

#include <cstdint>
#include <optional>

namespace dlscope::core {

// available_bytes: as available_memory(). A million anywhere; more where all copies of the list together, in the host, on the way and
// in the viewer, take no more than an eighth of that memory; at most 2^22, whose report is of some 800 MB.
[[nodiscard]] std::uint64_t pair_limit(std::optional<std::uint64_t> available_bytes);

}  // namespace dlscope::core
