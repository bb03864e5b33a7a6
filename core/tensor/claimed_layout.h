// Validation of the numbers a producer claims (dtype, shape, strides, address), shared by the importers of all protocols. Fills
// the layout, bounds and extent of a TensorDesc and adds remarks to it. The checks are inline, because a scan makes them for 1e5
// tensors; the functions that build a remark's text are in claimed_layout.cpp. thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/base/checked_math.h"
#include "core/tensor/layout_sum.h"
#include "core/tensor/tensor_desc.h"

namespace dlscope::core::claimed {

// Rarely called: they build the text of a remark.
[[gnu::cold]] void remark_device(TensorDesc& out);
[[gnu::cold]] [[nodiscard]] bool remark_dtype(TensorDesc& out);
// A stride too large to count in bits: on an axis of length 1 or in an empty layout it is capped, with a remark; otherwise the
// layout is rejected (false), also with a remark.
[[gnu::cold]] [[nodiscard]] bool cap_stride(TensorDesc& out, std::size_t axis, std::int64_t given, std::int64_t bits_per_unit);
[[gnu::cold]] void refuse_bounds(TensorDesc& out);  // rank and item size must have been checked
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

// False when an element has size 0.
[[nodiscard]] inline bool check_dtype(TensorDesc& out) { return dtype_is_known(out.dtype) || remark_dtype(out); }

// Fills stride_bits with C-order strides. False, with a remark, when they overflow and the layout is not empty.
[[nodiscard]] bool imply_strides(TensorDesc& out);

// On entry stride_bits holds strides in units of `bits_per_unit` bits. Converts them to bits and computes the bounds. False, with
// a remark, when the layout is impossible.
[[nodiscard]] inline bool bound_axes(TensorDesc& out, std::int64_t bits_per_unit) {
  BoundsSum sum(out.item_bits());
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

// Natural alignment of the dtype in bytes; 1 when it is not known.
[[nodiscard]] inline std::uint64_t natural_alignment(DType dtype) {
  const bool pair = dtype.code == static_cast<std::uint8_t>(DTypeCode::complex);
  const unsigned bits = pair ? dtype.bits / 2u : dtype.bits;
  return bits % 8 == 0 && (bits & (bits - 1)) == 0 ? bits / 8 : 1;
}

// Remarks on unaligned elements and negative strides, which are legal but not supported by every consumer.
inline void note_placement(TensorDesc& out, bool has_address) {
  if (out.bounds.lowest_bit < 0) remark_backward(out);
  const std::uint64_t alignment = natural_alignment(out.dtype);
  if (!has_address || alignment == 1) return;
  if ((out.address() & (alignment - 1)) != 0) {
    remark_unaligned_address(out, alignment);
  } else if (out.protocol != Protocol::dlpack) {  // DLPack strides are whole elements, so they keep the alignment
    note_odd_stride(out, alignment);
  }
}

// Computes the extent from bounds, data and byte_offset. False, with a remark, when it would leave the 64-bit address space.
[[nodiscard]] inline bool place(TensorDesc& out) {
  if (out.byte_offset != 0) remark_byte_offset(out);
  const bool is_address = out.device == kCpuDevice || device_memory(out.device) != DeviceMemory::handle;
  if (out.data == 0 && out.bounds.elements > 0) {
    remark_null_data(out);
    note_placement(out, false);
    return true;  // shape and strides are valid; the extent stays empty, because the bytes are nowhere
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
