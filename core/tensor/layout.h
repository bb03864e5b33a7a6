// Layout: where each element of a strided view lies, in bits from element [0,...,0].
// Bits, because one unit must serve every dtype, packed int4 and fp4 too. Strides are always explicit and every
// sum was checked once, when the layout was made: afterwards no offset can overflow.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core {

inline constexpr int kMaxRank = 64;
// Stands, with either sign, for a stride of more bits than can be counted. Only an axis that nobody steps along may have it:
// one of length 1, or any of an empty layout. Odd, so that it is a whole number of nothing.
inline constexpr std::int64_t kCappedStride = std::numeric_limits<std::int64_t>::max();
[[nodiscard]] constexpr bool is_capped(std::int64_t stride_bits) {
  return stride_bits == kCappedStride || stride_bits == -kCappedStride;
}

// A borrowed layout. shape.size() == stride_bits.size() == rank; shape[d] >= 0; item_bits > 0.
// What the algorithms take: the numbers usually live in a snapshot's pool.
struct LayoutView {
  std::span<const std::int64_t> shape;        // elements
  std::span<const std::int64_t> stride_bits;  // bits; may be negative or zero
  std::uint32_t item_bits = 8;                // bits of one element, lanes included

  [[nodiscard]] int rank() const { return static_cast<int>(shape.size()); }
};

// Bounds of a validated layout, relative to the address of element [0,...,0].
struct LayoutBounds {
  std::uint64_t elements = 0;    // product of the shape; 1 for rank 0
  std::int64_t lowest_bit = 0;   // first bit touched, relative to element [0,...,0]; <= 0
  std::int64_t highest_bit = 0;  // one past the last bit touched; 0 when empty
  friend constexpr bool operator==(const LayoutBounds&, const LayoutBounds&) = default;
};

// Why a layout cannot exist.
enum class LayoutFault : std::uint8_t { none, rank, item_bits, negative_dimension, size_overflow };

// Checks rank, shape, strides and item size and computes the bounds, without allocating. Afterwards elements * item_bits
// and highest_bit - lowest_bit fit int64 (2^60 bytes: more cannot exist). An empty layout is possible whatever its strides:
// no element, all bounds 0. `out` is written only when the answer is none.
[[nodiscard]] LayoutFault check_layout(LayoutView layout, LayoutBounds& out);

// The same, with words for what is wrong (ErrorKind::invalid).
[[nodiscard]] Result<LayoutBounds> validate(LayoutView layout);

// The bytes touched, lowest to one past the highest, for element [0,...,0] at `address`. Empty layouts give {address, address}.
// Fails when the range leaves the 64-bit address space.
[[nodiscard]] Result<ByteRange> extent_of(const LayoutBounds& bounds, Address address);
// The same without words, for 1e5 tensors at once. False, and `out` is as it was, when it does not fit.
[[nodiscard]] inline bool find_extent(const LayoutBounds& bounds, Address address, ByteRange& out) {
  const std::int64_t low = bounds.lowest_bit >> 3;                                                // rounded down
  const std::int64_t high = (bounds.highest_bit >> 3) + ((bounds.highest_bit & 7) != 0 ? 1 : 0);  // rounded up
  ByteRange range;
  // low <= 0. Negated in unsigned arithmetic, where even the lowest number has a negative.
  if (__builtin_sub_overflow(address, std::uint64_t{0} - static_cast<std::uint64_t>(low), &range.begin)) return false;
  if (__builtin_add_overflow(address, static_cast<std::uint64_t>(high), &range.end)) return false;
  out = range;
  return true;
}

// Row-major strides in bits into `out` (size rank). False on overflow. Zero-size shapes get strides as if sizes were max(n, 1),
// as NumPy does.
[[nodiscard]] bool c_order_strides(std::span<const std::int64_t> shape, std::uint32_t item_bits, std::span<std::int64_t> out);

// design.md section 3, first that fits: empty, scalar, broadcast, overlapping, c_and_f, c, f, strided.
enum class Contiguity : std::uint8_t { unknown, c, f, c_and_f, strided, broadcast, overlapping, empty, scalar };
[[nodiscard]] const char* contiguity_name(Contiguity contiguity);
// Every byte between the first and the last is an element's.
[[nodiscard]] constexpr bool is_dense(Contiguity contiguity) {
  using enum Contiguity;
  return contiguity == c || contiguity == f || contiguity == c_and_f || contiguity == scalar;
}

// Whether two different indices reach a common bit, decided from sorted strides and sizes alone; nullopt where that is not
// enough (core/sharing/contiguity.h then searches). Bits, not bytes: for whole-byte items and strides the two are the same,
// and neighbours of a dense packed int4 array share a byte without overlapping.
[[nodiscard]] std::optional<bool> quick_self_overlap(LayoutView layout);
// The word for a validated layout, given whether it overlaps itself; nullopt (nobody could say) gives `unknown` where it matters.
[[nodiscard]] Contiguity contiguity_given(LayoutView layout, std::optional<bool> self_overlap);

// Which axis breaks C order, for words such as "axis 1 steps 16 bytes where C order steps 8": the last such axis, size-1
// axes ignored. nullopt when C-contiguous or empty.
[[nodiscard]] std::optional<int> axis_breaking_c_order(LayoutView layout);

// Bit offset of the element with C-order (logical) number `flat`; flat < elements.
[[nodiscard]] std::int64_t bit_offset_of(LayoutView layout, std::uint64_t flat);
// Multi-index of a C-order element number, into out (size rank).
void unravel(LayoutView layout, std::uint64_t flat, std::span<std::int64_t> out);

// An owning layout, for code that builds one. Strides that do not fit are saturated, which check_layout() refuses
// as soon as the axis is longer than 1.
struct Layout {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride_bits;
  std::uint32_t item_bits = 8;

  [[nodiscard]] operator LayoutView() const { return {shape, stride_bits, item_bits}; }
  [[nodiscard]] static Layout c_order(std::vector<std::int64_t> shape, std::uint32_t item_bits);
  [[nodiscard]] static Layout from_byte_strides(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& stride_bytes,
                                                std::uint32_t item_bits);
  [[nodiscard]] static Layout from_element_strides(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& stride_elems,
                                                   std::uint32_t item_bits);
};

// "(3, 4) strides 16, 4 B", "(8,) strides 4 bits": for messages.
[[nodiscard]] std::string describe(LayoutView layout);

}  // namespace dlscope::core
