// From claimed numbers to a layout: the checks that every importer puts its numbers through, whatever protocol they came by.
// An ordinary tensor passes inline; whoever gives cause for a remark leaves for the words in claimed_layout.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/checked_math.h"
#include "core/tensor/layout_sum.h"
#include "core/tensor/tensor_desc.h"

namespace dlscope::core::claimed {

// Cold: they build words.
[[gnu::cold]] void remark_device(TensorDesc& out);
[[gnu::cold]] [[nodiscard]] bool remark_dtype(TensorDesc& out);
// A stride that bits cannot count: capped, with a remark, where nobody steps along the axis; else false, with another one.
[[gnu::cold]] [[nodiscard]] bool cap_stride(TensorDesc& out, std::size_t axis, std::int64_t given, std::int64_t bits_per_unit);
[[gnu::cold]] void refuse_bounds(TensorDesc& out);
[[gnu::cold]] void refuse_address(TensorDesc& out);
[[gnu::cold]] void remark_byte_offset(TensorDesc& out);
[[gnu::cold]] void remark_null_data(TensorDesc& out);
[[gnu::cold]] void remark_backward(TensorDesc& out);
[[gnu::cold]] void remark_unaligned_address(TensorDesc& out, std::uint64_t alignment);
void note_odd_stride(TensorDesc& out, std::uint64_t alignment);

constexpr Tri tri(bool value) { return value ? Tri::yes : Tri::no; }

inline void note_device(TensorDesc& out) {
  if (out.device != kCpuDevice) remark_device(out);
}

// False when elements have no size.
[[nodiscard]] inline bool check_dtype(TensorDesc& out) { return dtype_is_known(out.dtype) || remark_dtype(out); }

// Fills stride_bits in C order. False, with a remark, when they do not fit and there are elements.
[[nodiscard]] bool imply_strides(TensorDesc& out);

// stride_bits holds strides in units of `bits_per_unit`: makes bits of them, and finds the bounds. False, with a remark, when
// no such layout can exist.
[[nodiscard]] inline bool bound_axes(TensorDesc& out, std::int64_t bits_per_unit) {
  LayoutSum sum(out.item_bits());
  for (std::size_t d = 0; d < static_cast<std::size_t>(out.rank); ++d) {
    const std::int64_t given = out.stride_bits[d];
    if (__builtin_mul_overflow(given, bits_per_unit, &out.stride_bits[d]) && !cap_stride(out, d, given, bits_per_unit))
      return false;
    sum.add_axis(out.shape[d], out.stride_bits[d]);
  }
  if (sum.finish(out.bounds) == LayoutFault::none) return true;
  refuse_bounds(out);
  return false;
}

// Bytes an element's address should be a multiple of; 1 when nothing is known.
[[nodiscard]] inline std::uint64_t natural_alignment(DType dtype) {
  const bool pair = dtype.code == static_cast<std::uint8_t>(DTypeCode::complex);
  const unsigned bits = pair ? dtype.bits / 2u : dtype.bits;
  return bits % 8 == 0 && (bits & (bits - 1)) == 0 ? bits / 8 : 1;
}

// Alignment and direction: legal, but consumers stumble over them.
inline void note_placement(TensorDesc& out, bool has_address) {
  if (out.bounds.lowest_bit < 0) remark_backward(out);
  const std::uint64_t alignment = natural_alignment(out.dtype);
  if (!has_address || alignment == 1) return;
  if ((out.address() & (alignment - 1)) != 0) {
    remark_unaligned_address(out, alignment);
  } else if (out.protocol != Protocol::dlpack) {  // DLPack counts in whole elements
    note_odd_stride(out, alignment);
  }
}

// Address arithmetic. Needs bounds. False, with a remark, when the bytes cannot lie where the numbers say.
[[nodiscard]] inline bool place(TensorDesc& out) {
  if (out.byte_offset != 0) remark_byte_offset(out);
  const bool is_address = out.device == kCpuDevice || device_memory(out.device) != DeviceMemory::handle;
  if (out.data == 0 && out.bounds.elements > 0) {
    remark_null_data(out);
    note_placement(out, false);
    return true;  // shape and strides are good; the extent stays empty: no byte belongs to it
  }
  if (is_address) {
    Address first = 0;
    if (__builtin_add_overflow(out.data, out.byte_offset, &first) || !find_extent(out.bounds, first, out.extent)) {
      refuse_address(out);
      return false;
    }
  }
  if (out.bounds.elements > 0) note_placement(out, is_address);
  return true;
}

}  // namespace dlscope::core::claimed
