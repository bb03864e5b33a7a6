#include "core/tensor/claimed_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace dlscope::core::claimed {
namespace {

// "axis 0, 2"
std::string backward_axes(const TensorDesc& desc) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(desc.rank); ++d) {
    if (desc.shape[d] > 1 && desc.stride_bits[d] < 0) text += fmt::format("{}{}", text.empty() ? "axis " : ", ", d);
  }
  return text;
}

bool has_odd_stride(const TensorDesc& desc, std::uint64_t alignment) {
  std::uint64_t strides = 0;  // all strides ORed: has every low bit that any of them has
  for (std::size_t d = 0; d < static_cast<std::size_t>(desc.rank); ++d) {
    if (desc.shape[d] > 1) strides |= static_cast<std::uint64_t>(desc.stride_bits[d]);
  }
  return (strides & (alignment * 8 - 1)) != 0;
}

bool is_empty(const TensorDesc& desc) {
  const auto shape = std::span(desc.shape).first(static_cast<std::size_t>(desc.rank));
  return std::ranges::find(shape, 0) != shape.end();
}

std::string shape_description(const TensorDesc& desc) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(desc.rank); ++d) {
    text += fmt::format("{}{}", d ? ", " : "", desc.shape[d]);
  }
  return "(" + text + ")";
}

// Adds the remark that names what makes the layout impossible: a negative dimension, or else that `what` is too large.
void refuse_layout(TensorDesc& out, std::string what) {
  const auto shape = std::span(out.shape).first(static_cast<std::size_t>(out.rank));
  if (std::ranges::any_of(shape, [](std::int64_t n) { return n < 0; })) {
    out.remark(RemarkCode::negative_dimension, "shape " + shape_description(out));
  } else {
    out.remark(RemarkCode::size_overflow, std::move(what));
  }
}

}  // namespace

void remark_device(TensorDesc& out) {
  if (out.device.type == kCpuDevice.type) {
    if (out.device.id != 0) out.remark(RemarkCode::device_id_nonzero, fmt::format("cpu device {}", out.device.id));
  } else if (device_memory(out.device) == DeviceMemory::unknown) {
    out.remark(RemarkCode::device_unknown, fmt::format("device type {}", out.device.type));
  }
}

bool remark_dtype(TensorDesc& out) {
  if (out.dtype.bits == 0) out.remark(RemarkCode::bits_zero, fmt::format("dtype code {} with 0 bits", out.dtype.code));
  if (out.dtype.lanes == 0) out.remark(RemarkCode::lanes_zero, dtype_name(out.dtype));
  if (out.dtype.item_bits() == 0) return false;
  if (!dtype_is_known(out.dtype) && !out.item_type) out.remark(RemarkCode::dtype_unknown, dtype_name(out.dtype));
  return true;
}

bool cap_stride(TensorDesc& out, std::size_t axis, std::int64_t given, std::int64_t bits_per_unit) {
  std::string what = fmt::format("stride {} of axis {}, in units of {} bits", given, axis, bits_per_unit);
  if (out.shape[axis] != 1 && !is_empty(out)) {
    refuse_layout(out, std::move(what));
    return false;
  }
  out.stride_bits[axis] = given < 0 ? -kCappedStride : kCappedStride;
  out.remark(RemarkCode::stride_capped, std::move(what));
  return true;
}

void refuse_bounds(TensorDesc& out) { refuse_layout(out, describe(out.layout())); }

void refuse_address(TensorDesc& out) {
  out.remark(RemarkCode::address_overflow, fmt::format("data {:#x} + byte_offset {}, bits {} to {}", out.data, out.byte_offset,
                                                       out.bounds.lowest_bit, out.bounds.highest_bit));
}

void remark_byte_offset(TensorDesc& out) { out.remark(RemarkCode::byte_offset_used, fmt::format("{} bytes", out.byte_offset)); }

void remark_null_data(TensorDesc& out) {
  out.remark(RemarkCode::data_null, fmt::format("data is NULL, {} elements", out.bounds.elements));
}

void remark_backward(TensorDesc& out) { out.remark(RemarkCode::negative_stride, backward_axes(out)); }

void remark_unaligned_address(TensorDesc& out, std::uint64_t alignment) {
  const std::uint64_t past = out.address() & (alignment - 1);
  out.remark(RemarkCode::unaligned, fmt::format("address is {} past a multiple of {}", past, alignment));
}

void note_odd_stride(TensorDesc& out, std::uint64_t alignment) {
  if (!has_odd_stride(out, alignment)) return;
  out.remark(RemarkCode::unaligned, fmt::format("a stride is not a multiple of {} bytes", alignment));
}

bool imply_strides(TensorDesc& out) {
  const auto rank = static_cast<std::size_t>(out.rank);
  const auto shape = std::span(out.shape).first(rank);
  if (c_order_strides(shape, out.item_bits(), std::span(out.stride_bits).first(rank))) return true;
  if (!is_empty(out)) {
    refuse_layout(out, "shape " + shape_description(out));
    return false;
  }
  std::ranges::copy(Layout::c_order({shape.begin(), shape.end()}, out.item_bits()).stride_bits, out.stride_bits.begin());
  out.remark(RemarkCode::stride_capped, "in C order, for shape " + shape_description(out));
  return true;
}

}  // namespace dlscope::core::claimed
