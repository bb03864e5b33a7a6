// Copying the elements of one strided view into another of the same shape and item size: any permutation, reversal, slice or
// broadcast source, any item size, packed sub-byte items too. Nothing is converted.
// thread: any. Allocates nothing.
#pragma once

#include <cstddef>
#include <stop_token>

#include "core/tensor/layout.h"

namespace dlscope::core {

struct CopyOptions {
  unsigned threads = 1;  // the caller's is one of them
  std::stop_token stop;  // asked for at least every 10 ms of work
};

// from, to: where element [0,...,0] of each lies, sub-byte items from the lowest bit of the byte on. Both layouts passed
// validate() and have the same shape and item_bits; no two elements of `to` share a bit, and the two do not overlap.
// False: stopped, and part of the elements were copied.
[[nodiscard]] bool copy_strided(const std::byte* from, LayoutView from_layout, std::byte* to, LayoutView to_layout,
                                const CopyOptions& options = {});

}  // namespace dlscope::core
