// Layout: where each element of a strided view lies, in bits from element [0,...,0].
// Bits, because one unit must serve every dtype, packed int4 and fp4 too. Strides are always explicit and every
// sum was checked once, when the layout was made: afterwards no offset can overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/base/result.h"

namespace dlscope::core {

inline constexpr int kMaxRank = 64;

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
  std::uint64_t elements = 0;       // product of the shape; 1 for rank 0
  std::int64_t lowest_bit = 0;      // first bit touched, relative to element [0,...,0]; <= 0
  std::int64_t highest_bit = 0;     // one past the last bit touched; 0 when empty
};

// Checks rank, shape, strides and item size; computes the bounds with 128-bit-safe arithmetic.
// Fails (ErrorKind::invalid) on rank > kMaxRank, a negative dimension, item_bits 0, or any product or sum that
// leaves int64 bits (2^60 bytes): such a tensor cannot exist.
[[nodiscard]] Result<LayoutBounds> validate(LayoutView layout);

// The bytes touched, lowest to one past the highest, for element [0,...,0] at `address`. Empty layouts give {address, address}.
// Fails when the range leaves the 64-bit address space.
[[nodiscard]] Result<ByteRange> extent_of(const LayoutBounds& bounds, Address address);

// Row-major strides in bits into `out` (size rank). False on overflow. Zero-size shapes get strides as if sizes were max(n, 1),
// as NumPy does.
[[nodiscard]] bool c_order_strides(std::span<const std::int64_t> shape, std::uint32_t item_bits, std::span<std::int64_t> out);

// design.md section 3, first that fits: empty, scalar, broadcast, overlapping, c_and_f, c, f, strided.
enum class Contiguity : std::uint8_t { unknown, c, f, c_and_f, strided, broadcast, overlapping, empty, scalar };
[[nodiscard]] const char* contiguity_name(Contiguity contiguity);
// Exact. `overlapping` asks whether two indices reach one byte; bounded in time, falls back to `strided` never:
// budget exhausted gives `unknown`.
[[nodiscard]] Contiguity contiguity_of(LayoutView layout);

// Which axis breaks C order, for words such as "axis 1 steps 16 bytes where C order steps 8". nullopt when C-contiguous.
[[nodiscard]] std::optional<int> axis_breaking_c_order(LayoutView layout);

// Bit offset of the element with C-order (logical) number `flat`; flat < elements.
[[nodiscard]] std::int64_t bit_offset_of(LayoutView layout, std::uint64_t flat);
// Multi-index of a C-order element number, into out (size rank).
void unravel(LayoutView layout, std::uint64_t flat, std::span<std::int64_t> out);

// An owning layout, for code that builds one.
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

// "(3, 4) strides 16, 4 B": for messages.
[[nodiscard]] std::string describe(LayoutView layout);

}  // namespace dlscope::core
