// Copies of a tensor's bytes for remembered tensors, to be looked at later: the
// bytes themselves or, for large tensors, a hash of each block. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

// Limits for one tensor's extent. The functions fail for larger ones, and when the extent cannot be read completely.
inline constexpr std::uint64_t kMaxKeptBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMaxHashedBytes = std::uint64_t{16} << 30;
inline constexpr std::uint64_t kHashedBlock = std::uint64_t{1} << 20;  // bytes; the last block may be shorter

// All bytes of the extent, including gaps between elements.
[[nodiscard]] Result<std::vector<std::byte>> copy_of_extent(const Snapshot& snapshot, const TensorRecord& tensor,
                                                            const MemoryReader& memory);
// A 64-bit hash of every block of these bytes. Different blocks have equal hashes with a probability of 2^-64.
[[nodiscard]] Result<std::vector<std::uint64_t>> hashes_of_extent(const Snapshot& snapshot, const TensorRecord& tensor,
                                                                  const MemoryReader& memory);
// The same hash, of one copy: to recognise it later.
[[nodiscard]] std::uint64_t hash_of_bytes(std::span<const std::byte> bytes);

}  // namespace dlscope::core
