// A copy of a tensor, or its conversion to another dtype, made part by part so that it can tell how far it is and be broken off;
// and the comparison of what was made with what it was made from.
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

// Where element [0,...,0] lies, and how the others follow.
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

// Bytes of the target written so far, and all of them. False: stop.
using CopyProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

inline constexpr std::uint64_t kCopyPartBytes = std::uint64_t{16} << 20;  // some milliseconds: what cancelling waits for

// Both passed validate() and have the same shape; no two elements of the target share a bit, and it shares no byte with the source.
// Bytes between the target's elements are left as they are. Another dtype: as convert_elements() says. False: progress stopped it, and
// the first `done` bytes of elements in C order were written. Fails where there is no memory for one part.
[[nodiscard]] Result<bool> copy_in_parts(const CopySource& from, const CopyTarget& to, const CopyProgress& progress,
                                         std::uint64_t part_bytes = kCopyPartBytes);

// Reads both once more and compares the bits of every element (of a conversion: with what converting gives). nullopt: stopped; else
// whether all are equal.
[[nodiscard]] Result<std::optional<bool>> is_copy_of(const CopySource& from, const CopyTarget& made, const CopyProgress& progress,
                                                      std::uint64_t part_bytes = kCopyPartBytes);

}  // namespace dlscope::core
