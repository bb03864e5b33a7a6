// Encoding of a snapshot as bytes: a table of sections, each a pool of the snapshot copied as it is. Decoding checks every index
// and slice once, so that a decoded snapshot can be read without further checks, whatever wrote the bytes. thread: any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"

namespace dlscope::core::wire {

// Bytes that encode_snapshot() needs.
[[nodiscard]] std::size_t encoded_size(const Snapshot& snapshot);
// Writes into `out`; returns the number of bytes written, 0 when `out` is too small.
[[nodiscard]] std::size_t encode_snapshot(const Snapshot& snapshot, std::span<std::byte> out);
// A copy whose encoding fits into `bytes`: only the first pairs are kept, and missing_pairs says that the list is cut short. Null
// when the snapshot does not fit even without pairs.
[[nodiscard]] std::shared_ptr<const Snapshot> cut_to_fit(const Snapshot& snapshot, std::size_t bytes);
// Fails, naming what is wrong, when the bytes are not a valid snapshot.
[[nodiscard]] Result<std::shared_ptr<const Snapshot>> decode_snapshot(std::span<const std::byte> bytes);

}  // namespace dlscope::core::wire
