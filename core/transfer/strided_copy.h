// Copies the elements of one strided view into another of the same shape and item size: any permutation, reversal, slice or
// broadcast source, any item size, including packed sub-byte items. Does not convert.
// thread: any. Allocates nothing of the tensor's size.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>

#include "core/tensor/layout.h"

namespace dlscope::core {

struct CopyOptions {
  unsigned threads = 1;  // including the caller's; fewer where the system gives no more
  std::stop_token stop;  // checked at least every 10 ms
};

// from, to: the bytes in which element [0,...,0] of each begins, at the lowest bit. Both layouts must have passed validate() and
// have the same shape and item_bits; no two elements of `to` may share a bit, and source and target must not overlap.
// False: stopped; part of the elements have been copied.
[[nodiscard]] bool copy_strided(const std::byte* from, LayoutView from_layout, std::byte* to, LayoutView to_layout,
                                const CopyOptions& options = {});

// How copy_strided() copies these, in words: "memcpy", "runs of 4096 bytes", "transposed in tiles".
[[nodiscard]] std::string copy_method_text(LayoutView from, LayoutView to);

}  // namespace dlscope::core
