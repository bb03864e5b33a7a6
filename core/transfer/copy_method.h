// CopyMethod: how copy_strided() goes over two views: which axes are the innermost, and which loop copies these. Pure functions;
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/transfer/copy_kernels.h"
#include "core/transfer/copy_plan.h"

namespace dlscope::core {

// Larger copies use non-temporal stores: the target would be evicted from the caches before anyone reads it.
inline constexpr std::int64_t kStreamBytes = std::int64_t{8} << 20;

// Which inner loop copies the one or two innermost axes.
enum class CopyMethod : std::uint8_t {
  run,        // large items: one memcpy after the other
  reverse,    // the target's axis is reversed in the source
  spread,     // one axis is innermost in both, with gaps
  repeat,     // broadcast: one source element along the target's axis
  transpose,  // contiguous along one axis in the source, along the other in the target
  split,      // de-interleave groups of two to four elements
  join,       // interleave groups of two to four elements
  scattered   // none of these: element by element, in squares
};

// What an inner loop copies: one or two axes.
struct CopyRectangle {
  CopyMethod method = CopyMethod::run;
  CopyAxis inner;   // the axis with the smallest stride in the target
  CopyAxis across;  // the axis with the smallest stride in the source, if that is another one; else count 1
  std::int64_t item = 1;
  std::size_t log_item = 0;  // log2 of the item size, for items of 1, 2, 4 or 8 bytes
  bool has_kernel = false;   // the item has such a size
  Store store = Store::cached;
};

// The rectangle, and the axes around it.
struct CopyWalk : CopyRectangle {
  std::vector<CopyAxis> outer;
};

// Chooses the inner axes and loop. `plan` must have at least one axis and be in bytes.
[[nodiscard]] CopyWalk make_walk(const CopyPlan& plan, const std::byte* to);
// An axis that is reversed in the source is reversed in both: the target is then walked downwards along it.
void walk_downwards(CopyWalk& walk);
// Whether the rectangle is large enough for CopyKernels::transpose_tiles, and its items are of a size that these know.
[[nodiscard]] bool fills_tiles(const CopyRectangle& walk);

}  // namespace dlscope::core
