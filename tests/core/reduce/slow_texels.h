// The judge of the reduction: every value decoded by itself, texel by texel, in the order of the indices.
#pragma once

#include <string>

#include "core/reduce/cell_axes.h"
#include "core/reduce/texels.h"
#include "core/tensor/dtype.h"

namespace dlscope::core::test {

[[nodiscard]] Texels slow_texels(DType dtype, LayoutView layout, const void* data, const CellAxes& axes,
                                 const CellWindow& window);

// "" when they are the same: flags exactly, means but for rounding, extremes exactly unless they are `rounded` themselves (of means,
// of magnitudes).
[[nodiscard]] std::string difference(const Texels& got, const Texels& expected, bool rounded);

}  // namespace dlscope::core::test
