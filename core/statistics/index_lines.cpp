#include "core/statistics/index_lines.h"

namespace dlscope::core {

IndexLines::IndexLines(const AffineAxes& indices, std::uint64_t block) {
  std::size_t best = 0;
  std::uint64_t best_inner = 1, fewest = ~std::uint64_t{0}, inner = 1;
  for (std::size_t axis = 0; axis < indices.axes.size() && inner < block; ++axis) {
    const std::uint64_t runs = block / inner / indices.axes[axis].count + 1;
    if (inner * runs < fewest) {
      fewest = inner * runs;
      best = axis;
      best_inner = inner;
    }
    if (__builtin_mul_overflow(inner, indices.axes[axis].count, &inner)) break;
  }
  offsets_.reserve(best_inner);
  for (std::uint64_t i = 0; i < best_inner; ++i) offsets_.push_back(indices.at(i) - indices.origin);
  along_ = {indices.origin, {indices.axes.begin() + static_cast<std::ptrdiff_t>(best), indices.axes.end()}};
}

}  // namespace dlscope::core
