// Hashes of a tensor's own values, block by block: to recognise later whether they changed without keeping them. They do not depend
// on the layout, nor on what lies between the elements. thread: any.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"
#include "core/memory/memory_reader.h"

namespace dlscope::core {

inline constexpr std::uint64_t kHashedBlock = std::uint64_t{1} << 20;         // bytes of values; the last block may be shorter
inline constexpr std::uint64_t kMaxHashedBytes = std::uint64_t{16} << 30;     // of one tensor's values
inline constexpr std::uint64_t kMaxHashedOverlap = std::uint64_t{1} << 30;  // of one whose elements share bytes

// Hashes of the tensor, which must have a layout: of its values in C order, those of axes of stride 0 once.
[[nodiscard]] std::uint64_t hashed_blocks(const Snapshot& snapshot, const TensorRecord& tensor);

// One hash for each block; one for all values where the order of memory jumps from block to block, as in a transposed array. Of two
// tensors of one dtype and shape, with the same axes of stride 0, blocks with other values have other hashes, but for a chance of about
// 2^-32; the sum of all hashes is that of the values. Fails in words where the values cannot be read or are too many.
[[nodiscard]] Result<std::vector<std::uint64_t>> block_hashes(const Snapshot& snapshot, const TensorRecord& tensor,
                                                              const MemoryReader& memory);

}  // namespace dlscope::core
