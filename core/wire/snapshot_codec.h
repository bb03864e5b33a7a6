// A snapshot as bytes: a table of sections, each a pool copied whole. Decoding checks every index and slice once, so
// that a decoded snapshot can be read without further checks, whatever wrote it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/inventory/snapshot.h"

namespace dlscope::core::wire {

[[nodiscard]] std::size_t encoded_size(const Snapshot& snapshot);
// Into `out`; returns the bytes written, 0 when `out` is too small.
[[nodiscard]] std::size_t encode_snapshot(const Snapshot& snapshot, std::span<std::byte> out);
// The same with the first pairs only, so many that it fits into `bytes`, and a note that the list is cut short. Null when it does not
// fit even without any.
[[nodiscard]] std::shared_ptr<const Snapshot> cut_to_fit(const Snapshot& snapshot, std::size_t bytes);
[[nodiscard]] Result<std::shared_ptr<const Snapshot>> decode_snapshot(std::span<const std::byte> bytes);

}  // namespace dlscope::core::wire
