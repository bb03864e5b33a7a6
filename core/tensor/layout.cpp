#include "core/tensor/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <limits>

#include "core/base/checked_math.h"
#include "core/tensor/layout_sum.h"

namespace dlscope::core {
namespace {

bool is_empty(LayoutView layout) { return std::ranges::find(layout.shape, 0) != layout.shape.end(); }

bool is_single(LayoutView layout) {
  return std::ranges::all_of(layout.shape, [](std::int64_t n) { return n == 1; });
}

std::int64_t saturating_mul(std::int64_t a, std::int64_t b) {
  if (const auto product = checked_mul(a, b)) return *product;
  return (a < 0) != (b < 0) ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::vector<std::int64_t> scaled(const std::vector<std::int64_t>& strides, std::int64_t bits_per_unit) {
  std::vector<std::int64_t> out;
  out.reserve(strides.size());
  for (const std::int64_t stride : strides) out.push_back(saturating_mul(stride, bits_per_unit));
  return out;
}

// Dense in the order of axes that starts at `first` and goes in direction `step`; axes of length 1 are ignored.
bool dense_from(LayoutView layout, int first, int step) {
  std::int64_t expected = layout.item_bits;
  for (int d = first; d >= 0 && d < layout.rank(); d += step) {
    const auto axis = static_cast<std::size_t>(d);
    if (layout.shape[axis] == 1) continue;
    if (layout.stride_bits[axis] != expected) return false;
    expected *= layout.shape[axis];
  }
  return true;
}

}  // namespace

LayoutFault check_layout(LayoutView layout, LayoutBounds& out) {
  const std::size_t rank = layout.shape.size();
  if (rank > static_cast<std::size_t>(kMaxRank) || layout.stride_bits.size() != rank) return LayoutFault::rank;
  if (layout.item_bits == 0) return LayoutFault::item_bits;
  BoundsSum sum(layout.item_bits);
  for (std::size_t d = 0; d < rank; ++d) sum.add_axis(layout.shape[d], layout.stride_bits[d]);
  return sum.finish(out);
}

Result<LayoutBounds> validate(LayoutView layout) {
  LayoutBounds bounds;
  switch (check_layout(layout, bounds)) {
    case LayoutFault::none:
      return bounds;
    case LayoutFault::rank:
      return fail(ErrorKind::invalid, fmt::format("{} axes and {} strides; at most {} axes, a stride for each",
                                                  layout.shape.size(), layout.stride_bits.size(), kMaxRank));
    case LayoutFault::item_bits:
      return fail(ErrorKind::invalid, "elements of 0 bits");
    case LayoutFault::negative_dimension:
      return fail(ErrorKind::invalid, "negative dimension in " + describe(layout));
    case LayoutFault::size_overflow:
      break;
  }
  return fail(ErrorKind::invalid, "larger than 2^60 bytes: " + describe(layout));
}

Result<ByteRange> extent_of(const LayoutBounds& bounds, Address address) {
  if (ByteRange range; find_extent(bounds, address, range)) return range;
  return fail(ErrorKind::invalid, fmt::format("bits {} to {} around address {:#x} leave the 64-bit address space",
                                              bounds.lowest_bit, bounds.highest_bit, address));
}

bool c_order_strides(std::span<const std::int64_t> shape, std::uint32_t item_bits, std::span<std::int64_t> out) {
  assert(shape.size() == out.size());
  std::int64_t stride = item_bits;
  bool fits = true;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (!fits) return false;
    out[d] = stride;
    // The product over all axes is not used as a stride, so it may overflow.
    fits = !__builtin_mul_overflow(stride, std::max<std::int64_t>(shape[d], 1), &stride);
  }
  return true;
}

const char* contiguity_name(Contiguity contiguity) {
  switch (contiguity) {
    case Contiguity::unknown:
      return "unknown";
    case Contiguity::c:
      return "c";
    case Contiguity::f:
      return "f";
    case Contiguity::c_and_f:
      return "c_and_f";
    case Contiguity::strided:
      return "strided";
    case Contiguity::broadcast:
      return "broadcast";
    case Contiguity::overlapping:
      return "overlapping";
    case Contiguity::empty:
      return "empty";
    case Contiguity::scalar:
      return "scalar";
  }
  return "unknown";
}

std::optional<bool> quick_self_overlap(LayoutView layout) {
  if (is_empty(layout)) return false;
  struct Axis {
    std::uint64_t stride, steps;
  };
  std::array<Axis, kMaxRank> axes{};
  std::size_t count = 0;
  std::uint64_t elements = 1;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] == 1) continue;
    // The axis is longer than 1, so check_layout() has bounded its stride, and it can be negated.
    axes[count++] = {static_cast<std::uint64_t>(std::abs(layout.stride_bits[d])),
                     static_cast<std::uint64_t>(layout.shape[d] - 1)};
    elements *= static_cast<std::uint64_t>(layout.shape[d]);
  }
  const auto used = std::span(axes).first(count);
  std::ranges::sort(used, {}, &Axis::stride);
  if (!used.empty() && used.front().stride < layout.item_bits) return true;  // an element and its neighbour
  std::uint64_t span = layout.item_bits;                                     // bits from the first to the last of all axes so far
  bool nested = true;
  for (const Axis& axis : used) {
    nested &= axis.stride >= span;  // one step goes beyond everything that the axes with smaller strides reach
    span += axis.stride * axis.steps;
  }
  if (nested) return false;
  if (elements * layout.item_bits > span) return true;  // more bits than the span has (pigeonhole principle)
  return std::nullopt;
}

Contiguity contiguity_given(LayoutView layout, std::optional<bool> self_overlap) {
  if (is_empty(layout)) return Contiguity::empty;
  if (is_single(layout)) return Contiguity::scalar;
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] > 1 && layout.stride_bits[d] == 0) return Contiguity::broadcast;
  }
  if (!self_overlap) return Contiguity::unknown;
  if (*self_overlap) return Contiguity::overlapping;
  const bool c = dense_from(layout, layout.rank() - 1, -1);
  const bool f = dense_from(layout, 0, 1);
  if (c) return f ? Contiguity::c_and_f : Contiguity::c;
  return f ? Contiguity::f : Contiguity::strided;
}

std::optional<int> axis_breaking_c_order(LayoutView layout) {
  if (is_empty(layout)) return std::nullopt;
  std::int64_t expected = layout.item_bits;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] == 1) continue;
    if (layout.stride_bits[d] != expected) return static_cast<int>(d);
    expected *= layout.shape[d];
  }
  return std::nullopt;
}

std::int64_t bit_offset_of(LayoutView layout, std::uint64_t flat) {
  std::int64_t offset = 0;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const auto n = static_cast<std::uint64_t>(layout.shape[d]);
    offset += static_cast<std::int64_t>(flat % n) * layout.stride_bits[d];
    flat /= n;
  }
  return offset;
}

void unravel(LayoutView layout, std::uint64_t flat, std::span<std::int64_t> out) {
  assert(out.size() == layout.shape.size());
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const auto n = static_cast<std::uint64_t>(layout.shape[d]);
    out[d] = static_cast<std::int64_t>(flat % n);
    flat /= n;
  }
}

Layout Layout::c_order(std::vector<std::int64_t> shape, std::uint32_t item_bits) {
  Layout layout{std::move(shape), {}, item_bits};
  layout.stride_bits.resize(layout.shape.size());
  std::int64_t stride = item_bits;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    layout.stride_bits[d] = stride;
    stride = saturating_mul(stride, std::max<std::int64_t>(layout.shape[d], 1));
  }
  return layout;
}

Layout Layout::from_byte_strides(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& stride_bytes,
                                 std::uint32_t item_bits) {
  return {std::move(shape), scaled(stride_bytes, 8), item_bits};
}

Layout Layout::from_element_strides(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& stride_elems,
                                    std::uint32_t item_bits) {
  return {std::move(shape), scaled(stride_elems, item_bits), item_bits};
}

std::string describe(LayoutView layout) {
  const bool whole_bytes = std::ranges::all_of(layout.stride_bits, [](std::int64_t s) { return s % 8 == 0; });
  std::string out = fmt::format("({}{})", fmt::join(layout.shape, ", "), layout.shape.size() == 1 ? "," : "");
  if (layout.shape.empty()) return out;
  const char* separator = " strides ";
  for (const std::int64_t stride : layout.stride_bits) {
    out += separator + std::to_string(whole_bytes ? stride / 8 : stride);
    separator = ", ";
  }
  return out + (whole_bytes ? " B" : " bits");
}

}  // namespace dlscope::core
