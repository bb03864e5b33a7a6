#include "core/sharing/multiplicity.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

struct CountedAxis {
  std::int64_t stride, count;  // bits, positive; count > 1
};

std::uint64_t saturating_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<std::uint64_t>::max() : out;
}

// Counts the index tuples whose start lies in [low, high]; largest strides first, so that few indices fit at each depth.
class StartCounter {
 public:
  StartCounter(LayoutView layout, std::uint64_t budget) : budget_(budget) {
    for (std::size_t d = 0; d < layout.shape.size(); ++d) {
      const std::int64_t count = layout.shape[d];
      const std::int64_t stride = layout.stride_bits[d];
      if (count <= 1) continue;
      if (stride == 0) {
        repeats_ = saturating_mul(repeats_, static_cast<std::uint64_t>(count));
        continue;
      }
      if (stride < 0) lowest_ += stride * (count - 1);
      axes_[rank_++] = {stride < 0 ? -stride : stride, count};
    }
    std::sort(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(rank_),
              [](const CountedAxis& a, const CountedAxis& b) { return a.stride > b.stride; });
    for (std::size_t i = rank_; i-- > 0;) reach_[i] = reach_[i + 1] + axes_[i].stride * (axes_[i].count - 1);
  }

  // low and high are relative to element [0,...,0].
  std::optional<std::uint64_t> count(std::int64_t low, std::int64_t high) {
    const std::uint64_t found = count_from(0, low - lowest_, high - lowest_);
    if (budget_ == 0) return std::nullopt;
    return saturating_mul(found, repeats_);
  }

 private:
  std::uint64_t count_from(std::size_t depth, std::int64_t low, std::int64_t high) {
    if (budget_ == 0) return 0;
    --budget_;
    if (high < 0 || low > reach_[depth]) return 0;
    if (depth == rank_) return 1;
    const CountedAxis& axis = axes_[depth];
    const std::int64_t first = std::max<std::int64_t>(0, ceil_div(low - reach_[depth + 1], axis.stride));
    const std::int64_t last = std::min(axis.count - 1, floor_div(high, axis.stride));
    if (depth + 1 == rank_) return last < first ? 0 : static_cast<std::uint64_t>(last - first + 1);
    std::uint64_t total = 0;
    for (std::int64_t i = first; i <= last && budget_ > 0; ++i) {
      total = saturating_add(total, count_from(depth + 1, low - i * axis.stride, high - i * axis.stride));
    }
    return total;
  }

  std::array<CountedAxis, kMaxRank> axes_;
  std::array<std::int64_t, kMaxRank + 1> reach_{};  // highest start the axes from i on can make
  std::size_t rank_ = 0;
  std::int64_t lowest_ = 0;    // of the lowest element's start
  std::uint64_t repeats_ = 1;  // what the zero strides multiply
  std::uint64_t budget_;
};

}  // namespace

std::optional<std::uint64_t> elements_reaching(const MemoryView& view, Address byte, std::uint64_t budget_nodes) {
  if (!view.extent.contains(byte)) return 0;
  if (std::ranges::find(view.layout.shape, 0) != view.layout.shape.end()) return 0;
  const auto from_base = static_cast<std::int64_t>(byte - view.address) * 8;  // the extent bounds it
  StartCounter counter(view.layout, budget_nodes);
  return counter.count(from_base - static_cast<std::int64_t>(view.layout.item_bits) + 1, from_base + 7);
}

}  // namespace dlscope::core
