// Copies a tensor, or converts it to another dtype, in parts, so that progress can be reported and the copy can be stopped; and
// compares a copy with its source.
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/tensor/dtype.h"
#include "core/tensor/layout.h"

namespace dlscope::core {

// bytes: where element [0,...,0] begins, at the lowest bit of the byte. Borrows everything.
struct CopySource {
  const std::byte* bytes = nullptr;
  LayoutView layout;
  DType dtype;
};
struct CopyTarget {
  std::byte* bytes = nullptr;
  LayoutView layout;
  DType dtype;
};

// Called after each part with the bytes of the target written so far and in total. Returns false to stop.
using CopyProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

inline constexpr std::uint64_t kCopyPartBytes = std::uint64_t{16} << 20;  // some milliseconds of work

// Both layouts must have passed validate() and have the same shape; no two elements of the target may
// share a bit, and source and target may share no byte. Bytes between the target's elements are not
// changed. If the dtypes differ, converts as convert_elements() does. False: progress() stopped it
// after the first `done` bytes of elements in C order. Fails when there is no memory for one part, or
// when the items are of two sizes although the dtype is one (packed and padded sub-byte types).
[[nodiscard]] Result<bool> copy_in_parts(const CopySource& from, const CopyTarget& to, const CopyProgress& progress,
                                         std::uint64_t part_bytes = kCopyPartBytes);

// Elements one after another, each side from its lowest bit on, and what the conversion makes of them. Called on several threads.
using SeeConverted = std::function<void(const std::byte* source, const std::byte* converted, std::uint64_t count)>;

// Whether `made` is a copy of `from`: reads both again and compares the bits of every element (after a conversion, with the
// converted value). nullopt: progress() stopped it. Fails as copy_in_parts() does. see: empty, or called once for all the elements
// of each tile that were converted again, while they are in the caches.
[[nodiscard]] Result<std::optional<bool>> is_copy_of(const CopySource& from, const CopyTarget& made, const CopyProgress& progress,
                                                      std::uint64_t part_bytes = kCopyPartBytes, const SeeConverted& see = {});

}  // namespace dlscope::core
