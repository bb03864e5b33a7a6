// Layout: where each element of a strided view lies, relative to element [0,...,0]. Strides and offsets are in bits, so that one
// unit fits every dtype, including packed int4 and fp4. Strides are always explicit. check_layout() rules out overflow once; code
// that takes a validated layout computes offsets without checking again. Pure functions; thread: any.
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
// Stands, with either sign, for a stride that does not fit into 64 bits. Allowed only where the stride is never used: on an axis
// of length 1, or in an empty layout. Odd, so that it is a whole number of neither bytes nor larger elements.
inline constexpr std::int64_t kCappedStride = std::numeric_limits<std::int64_t>::max();
[[nodiscard]] constexpr bool is_capped(std::int64_t stride_bits) {
  return stride_bits == kCappedStride || stride_bits == -kCappedStride;
}

// A borrowed layout, as algorithms take it; the numbers usually lie in a snapshot's pool. A valid one has
// shape.size() == stride_bits.size() == rank, shape[d] >= 0 and item_bits > 0.
struct LayoutView {
  std::span<const std::int64_t> shape;        // elements
  std::span<const std::int64_t> stride_bits;  // bits; may be negative or zero
  std::uint32_t item_bits = 8;                // bits of one element: all its lanes, and padding if any

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

// Checks rank, shape, strides and item size and computes the bounds, without allocating. Guarantees that elements * item_bits and
// highest_bit - lowest_bit fit int64 (2^60 bytes, more than any address space). An empty layout is valid whatever its strides:
// no elements, all bounds 0. `out` is written only when the answer is none.
[[nodiscard]] LayoutFault check_layout(LayoutView layout, LayoutBounds& out);

// The same, with a message that says what is wrong (ErrorKind::invalid).
[[nodiscard]] Result<LayoutBounds> validate(LayoutView layout);

// The extent: from the lowest byte touched to one past the highest, with element [0,...,0] at `address`. Empty layouts give
// {address, address}. Fails when the range leaves the 64-bit address space.
[[nodiscard]] Result<ByteRange> extent_of(const LayoutBounds& bounds, Address address);
// The same without an error message, for 1e5 tensors at once. False, with `out` unchanged, when the range does not fit.
[[nodiscard]] inline bool find_extent(const LayoutBounds& bounds, Address address, ByteRange& out) {
  const std::int64_t low = bounds.lowest_bit >> 3;                                                // rounded down
  const std::int64_t high = (bounds.highest_bit >> 3) + ((bounds.highest_bit & 7) != 0 ? 1 : 0);  // rounded up
  ByteRange range;
  // low <= 0. Negated in unsigned arithmetic, because -INT64_MIN overflows.
  if (__builtin_sub_overflow(address, std::uint64_t{0} - static_cast<std::uint64_t>(low), &range.begin)) return false;
  if (__builtin_add_overflow(address, static_cast<std::uint64_t>(high), &range.end)) return false;
  out = range;
  return true;
}

// Writes C-order (row-major) strides in bits to `out` (size rank). False
// on overflow. An axis of length 0 counts as length 1, as in NumPy.
[[nodiscard]] bool c_order_strides(std::span<const std::int64_t> shape, std::uint32_t item_bits, std::span<std::int64_t> out);

// The first that applies, in this order (docs/report.md): empty (no elements), scalar (one element), broadcast (a stride of 0 on
// an axis longer than 1), overlapping (two indices reach one bit), c_and_f, c, f (dense in that order), strided.
enum class Contiguity : std::uint8_t { unknown, c, f, c_and_f, strided, broadcast, overlapping, empty, scalar };
[[nodiscard]] const char* contiguity_name(Contiguity contiguity);
// Every byte of the extent belongs to an element.
[[nodiscard]] constexpr bool is_dense(Contiguity contiguity) {
  using enum Contiguity;
  return contiguity == c || contiguity == f || contiguity == c_and_f || contiguity == scalar;
}

// Whether two different indices reach a common bit, decided from the sorted strides and sizes alone; nullopt where that does not
// suffice (contiguity_of() in core/sharing/contiguity.h then searches). Bits and not bytes, because neighbours in a dense packed
// int4 array share a byte without overlapping; for whole-byte items and strides it makes no difference.
[[nodiscard]] std::optional<bool> quick_self_overlap(LayoutView layout);
// The contiguity of a validated layout, given whether it overlaps itself.
// nullopt (not known) gives `unknown` if the answer depends on it.
[[nodiscard]] Contiguity contiguity_given(LayoutView layout, std::optional<bool> self_overlap);

// The axis that breaks C order, for sentences such as "axis 1 steps 16 bytes where C order steps 8". The last one if there are
// several; axes of length 1 are ignored. nullopt when the layout is C-contiguous or empty.
[[nodiscard]] std::optional<int> axis_breaking_c_order(LayoutView layout);

// Offset in bits of the element with C-order index `flat`, from element [0,...,0]. flat < elements.
[[nodiscard]] std::int64_t bit_offset_of(LayoutView layout, std::uint64_t flat);
// Writes the multi-index of the element with C-order index `flat` to out (size rank). flat < elements.
void unravel(LayoutView layout, std::uint64_t flat, std::span<std::int64_t> out);

// An owning layout. The functions saturate strides that do not fit;
// check_layout() then refuses the layout if the axis is longer than 1.
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
