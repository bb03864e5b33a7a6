// Copies of a tensor's bytes for remembered tensors, to be looked at later. Of large ones hashes are kept (core/compare/block_hashes.h).
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

inline constexpr std::uint64_t kMaxKeptBytes = std::uint64_t{64} << 20;  // of one tensor's extent

// Fails in words where it is not known where the tensor's bytes lie, or they cannot be read from here.
[[nodiscard]] Result<void> check_kept(const Snapshot& snapshot, const TensorRecord& tensor);

// All bytes of the extent, including gaps between elements. Fails when it is too large or cannot be read completely.
[[nodiscard]] Result<std::vector<std::byte>> copy_of_extent(const Snapshot& snapshot, const TensorRecord& tensor,
                                                            const MemoryReader& memory);
// A hash of a copy, to recognise it when it has been fetched.
[[nodiscard]] std::uint64_t hash_of_bytes(std::span<const std::byte> bytes);

}  // namespace dlscope::core
