#include "embed/protocols/raw_copy.h"

#include <dlpack/dlpack.h>

#include <array>
#include <cstring>
#include <optional>

namespace dlscope::embed {
namespace {

using core::Address;
using core::CapsuleKind;
using core::MemoryReader;

#define DLSCOPE_FIELD(outer, member, name, type) \
  RawField { name, offsetof(outer, member), sizeof(outer{}.member), type }

constexpr std::array kLegacyFields{
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.data, "data", "void*"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.device.device_type, "device.device_type", "DLDeviceType"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.device.device_id, "device.device_id", "int32_t"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.ndim, "ndim", "int32_t"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.dtype.code, "dtype.code", "uint8_t"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.dtype.bits, "dtype.bits", "uint8_t"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.dtype.lanes, "dtype.lanes", "uint16_t"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.shape, "shape", "int64_t*"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.strides, "strides", "int64_t*"),
    DLSCOPE_FIELD(DLManagedTensor, dl_tensor.byte_offset, "byte_offset", "uint64_t"),
    DLSCOPE_FIELD(DLManagedTensor, manager_ctx, "manager_ctx", "void*"),
    DLSCOPE_FIELD(DLManagedTensor, deleter, "deleter", "void (*)(DLManagedTensor*)"),
};
constexpr std::array kVersionedFields{
    DLSCOPE_FIELD(DLManagedTensorVersioned, version.major, "version.major", "uint32_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, version.minor, "version.minor", "uint32_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, manager_ctx, "manager_ctx", "void*"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, deleter, "deleter", "void (*)(DLManagedTensorVersioned*)"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, flags, "flags", "uint64_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.data, "data", "void*"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.device.device_type, "device.device_type", "DLDeviceType"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.device.device_id, "device.device_id", "int32_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.ndim, "ndim", "int32_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.dtype.code, "dtype.code", "uint8_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.dtype.bits, "dtype.bits", "uint8_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.dtype.lanes, "dtype.lanes", "uint16_t"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.shape, "shape", "int64_t*"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.strides, "strides", "int64_t*"),
    DLSCOPE_FIELD(DLManagedTensorVersioned, dl_tensor.byte_offset, "byte_offset", "uint64_t"),
};
constexpr std::array kBufferFields{
    DLSCOPE_FIELD(BufferView, buf, "buf", "void*"),
    DLSCOPE_FIELD(BufferView, obj, "obj", "PyObject*"),
    DLSCOPE_FIELD(BufferView, len, "len", "Py_ssize_t"),
    DLSCOPE_FIELD(BufferView, itemsize, "itemsize", "Py_ssize_t"),
    DLSCOPE_FIELD(BufferView, readonly, "readonly", "int"),
    DLSCOPE_FIELD(BufferView, ndim, "ndim", "int"),
    DLSCOPE_FIELD(BufferView, format, "format", "char*"),
    DLSCOPE_FIELD(BufferView, shape, "shape", "Py_ssize_t*"),
    DLSCOPE_FIELD(BufferView, strides, "strides", "Py_ssize_t*"),
    DLSCOPE_FIELD(BufferView, suboffsets, "suboffsets", "Py_ssize_t*"),
    DLSCOPE_FIELD(BufferView, internal, "internal", "void*"),
};
#undef DLSCOPE_FIELD

RawBlock read_block(Address address, std::size_t size, const MemoryReader& reader) {
  RawBlock block{address, size, {}};
  if (address == 0) return block;
  block.bytes.resize(size);
  block.bytes.resize(reader.read(address, block.bytes));
  return block;
}

// The tensor in the bytes read from a managed struct; nullopt: too few bytes.
std::optional<DLTensor> tensor_in(const RawBlock& head, std::size_t offset) {
  if (head.bytes.size() < offset + sizeof(DLTensor)) return std::nullopt;
  DLTensor tensor;
  std::memcpy(&tensor, head.bytes.data() + offset, sizeof tensor);
  return tensor;
}

}  // namespace

std::span<const RawField> RawCopy::fields() const {
  if (protocol == core::Protocol::buffer) return kBufferFields;
  if (protocol != core::Protocol::dlpack) return {};
  if (capsule == CapsuleKind::dltensor_versioned) return kVersionedFields;
  return kLegacyFields;
}

void copy_managed(Address managed, CapsuleKind kind, const MemoryReader& reader, RawCopy& out) {
  const bool versioned = kind == CapsuleKind::dltensor_versioned;
  out.protocol = core::Protocol::dlpack;
  out.capsule = kind;
  out.head = read_block(managed, versioned ? sizeof(DLManagedTensorVersioned) : sizeof(DLManagedTensor), reader);
  const auto tensor =
      tensor_in(out.head, versioned ? offsetof(DLManagedTensorVersioned, dl_tensor) : offsetof(DLManagedTensor, dl_tensor));
  if (!tensor || tensor->ndim <= 0 || tensor->ndim > core::kMaxRank) return;
  const auto bytes = static_cast<std::size_t>(tensor->ndim) * sizeof(std::int64_t);
  out.shape = read_block(reinterpret_cast<Address>(tensor->shape), bytes, reader);
  out.strides = read_block(reinterpret_cast<Address>(tensor->strides), bytes, reader);
}

void copy_view(const BufferView& view, const MemoryReader& reader, RawCopy& out) {
  constexpr std::size_t kLongestFormat = 256;
  out.protocol = core::Protocol::buffer;
  out.head = {reinterpret_cast<Address>(&view), sizeof view, {}};
  const auto bytes = std::as_bytes(std::span(&view, 1));
  out.head.bytes.assign(bytes.begin(), bytes.end());
  if (view.format != nullptr) {
    const RawBlock text = read_block(reinterpret_cast<Address>(view.format), kLongestFormat, reader);
    const auto* const characters = reinterpret_cast<const char*>(text.bytes.data());
    out.format.assign(characters, strnlen(characters, text.bytes.size()));
  }
  if (view.ndim <= 0 || view.ndim > core::kMaxRank) return;
  const auto array = static_cast<std::size_t>(view.ndim) * sizeof(Py_ssize_t);
  out.shape = read_block(reinterpret_cast<Address>(view.shape), array, reader);
  out.strides = read_block(reinterpret_cast<Address>(view.strides), array, reader);
}

}  // namespace dlscope::embed
