// Copies of what lies in a tensor's extent, made to be looked at later: the bytes themselves, or where they are too many a hash of each
// block of them. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

// Of one tensor. More than that is refused, with the size in the words; so is what cannot be read to its end.
inline constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMostHashedBytes = std::uint64_t{16} << 30;
inline constexpr std::uint64_t kHashedBlock = std::uint64_t{1} << 20;  // the last one may be shorter

// Its bytes from the first to the last, gaps between its elements included.
[[nodiscard]] Result<std::vector<std::byte>> copy_of_extent(const Snapshot& snapshot, const TensorRecord& tensor,
                                                            const MemoryReader& memory);
// A hash of every block of these bytes. Equal blocks have equal hashes; different ones have different ones but for one in 2^64.
[[nodiscard]] Result<std::vector<std::uint64_t>> hashes_of_extent(const Snapshot& snapshot, const TensorRecord& tensor,
                                                                  const MemoryReader& memory);
// To know a copy again.
[[nodiscard]] std::uint64_t hash_of_bytes(std::span<const std::byte> bytes);

}  // namespace dlscope::core
