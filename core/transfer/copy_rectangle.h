// The inner loops of copy_strided(). thread: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/transfer/copy_method.h"

namespace dlscope::core {

// Rows of the target that a rectangle is copied to at a time: few enough for their pages to stay in the TLB.
inline constexpr std::int64_t kPanel = 512;

// With Store::stream, non-temporal stores for runs of at least a page.
void copy_run(const std::byte* from, std::byte* to, std::int64_t bytes, Store store);
// By the method that was chosen for it.
void copy_rectangle(const CopyRectangle& walk, const std::byte* from, std::byte* to);

}  // namespace dlscope::core
