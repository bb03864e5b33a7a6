#include "core/tensor/dlpack_import.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/base/checked_math.h"

namespace dlscope::core {
namespace {

constexpr std::size_t kLegacyBytes = sizeof(DLManagedTensor);
constexpr std::size_t kVersionedBytes = sizeof(DLManagedTensorVersioned);
static_assert(kLegacyBytes < kVersionedBytes && offsetof(DLManagedTensorVersioned, version) == 0);
constexpr std::uint64_t kKnownFlags =
    DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED | DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

template <class Pointer>
Address address_of(Pointer pointer) {
  return reinterpret_cast<Address>(pointer);
}

// ---- Where bytes come from -----------------------------------------------------------------------------------------

enum class Got : std::uint8_t { all, not_all, cannot_tell };

// Reads through a MemoryReader: any address may be given.
class CheckedSource {
 public:
  explicit CheckedSource(const MemoryReader& reader) : reader_(reader) {}

  // Bytes got; fewer than all of them when memory ends.
  std::size_t versioned_struct(Address from, DLManagedTensorVersioned& to) const { return read(from, to); }
  bool legacy_struct(Address from, DLManagedTensor& to) const { return read(from, to) == kLegacyBytes; }
  // What may lie behind a legacy struct: for a look at whether it is one.
  bool beyond_legacy(Address from, DLManagedTensorVersioned& to) const { return read(from, to) == kVersionedBytes; }
  Got array(Address from, std::span<std::int64_t> to) const {
    const auto bytes = std::as_writable_bytes(to);
    return reader_.read(from, bytes) == bytes.size() ? Got::all : Got::not_all;
  }

 private:
  template <class Struct>
  std::size_t read(Address from, Struct& to) const {
    return reader_.read(from, std::as_writable_bytes(std::span(&to, 1)));
  }

  const MemoryReader& reader_;
};

// Plain loads. The caller vouches for the struct and is asked about everything it points at.
class MappedSource {
 public:
  MappedSource(InKnownMapping in_known_mapping, const void* context) : in_known_mapping_(in_known_mapping), context_(context) {}

  // A legacy struct under the wrong name ends earlier: the tail is only loaded when the head says version 1.
  std::size_t versioned_struct(Address from, DLManagedTensorVersioned& to) const {
    std::memcpy(&to, pointer(from), kLegacyBytes);
    if (to.version.major != DLPACK_MAJOR_VERSION) return kLegacyBytes;
    std::memcpy(&to, pointer(from), kVersionedBytes);
    return kVersionedBytes;
  }
  bool legacy_struct(Address from, DLManagedTensor& to) const {
    std::memcpy(&to, pointer(from), kLegacyBytes);
    return true;
  }
  bool beyond_legacy(Address from, DLManagedTensorVersioned& to) const {
    if (!in_known_mapping_(context_, from, kVersionedBytes)) return false;
    std::memcpy(&to, pointer(from), kVersionedBytes);
    return true;
  }
  Got array(Address from, std::span<std::int64_t> to) const {
    if (!in_known_mapping_(context_, from, to.size_bytes())) return Got::cannot_tell;
    std::memcpy(to.data(), pointer(from), to.size_bytes());
    return Got::all;
  }

 private:
  static const void* pointer(Address address) { return reinterpret_cast<const void*>(address); }

  InKnownMapping in_known_mapping_;
  const void* context_;
};

// ---- From claimed numbers to a layout ------------------------------------------------------------------------------

// "axis 0, 2"
std::string backward_axes(const TensorDesc& desc) {
  std::string words;
  for (std::size_t d = 0; d < static_cast<std::size_t>(desc.rank); ++d) {
    if (desc.shape[d] > 1 && desc.stride_bits[d] < 0) words += fmt::format("{}{}", words.empty() ? "axis " : ", ", d);
  }
  return words;
}

bool has_odd_stride(const TensorDesc& desc, std::uint64_t alignment) {
  std::uint64_t strides = 0;  // a low bit set in one of them is set here
  for (std::size_t d = 0; d < static_cast<std::size_t>(desc.rank); ++d) {
    if (desc.shape[d] > 1) strides |= static_cast<std::uint64_t>(desc.stride_bits[d]);
  }
  return (strides & (alignment * 8 - 1)) != 0;
}

// Bytes an element's address should be a multiple of; 1 when nothing is known.
std::uint64_t natural_alignment(DType dtype) {
  const bool pair = dtype.code == static_cast<std::uint8_t>(DTypeCode::complex);
  const unsigned bits = pair ? dtype.bits / 2u : dtype.bits;
  return bits % 8 == 0 && (bits & (bits - 1)) == 0 ? bits / 8 : 1;
}

void note_device(TensorDesc& out) {
  if (out.device.type == kCpuDevice.type) {
    if (out.device.id != 0) out.remark(RemarkCode::device_id_nonzero, fmt::format("cpu device {}", out.device.id));
  } else if (device_memory(out.device) == DeviceMemory::unknown) {
    out.remark(RemarkCode::device_unknown, fmt::format("device type {}", out.device.type));
  }
}

// False when elements have no size.
bool check_dtype(TensorDesc& out) {
  if (out.dtype.bits == 0) out.remark(RemarkCode::bits_zero, fmt::format("dtype code {} with 0 bits", out.dtype.code));
  if (out.dtype.lanes == 0) out.remark(RemarkCode::lanes_zero, dtype_name(out.dtype));
  if (out.dtype.item_bits() == 0) return false;
  if (!dtype_is_known(out.dtype)) out.remark(RemarkCode::dtype_unknown, dtype_name(out.dtype));
  return true;
}

std::string shape_words(const TensorDesc& desc) {
  std::string words;
  for (std::size_t d = 0; d < static_cast<std::size_t>(desc.rank); ++d) {
    words += fmt::format("{}{}", d ? ", " : "", desc.shape[d]);
  }
  return "(" + words + ")";
}

// Says which number makes the layout impossible: a negative dimension, or else `what` that is too large.
void refuse_layout(TensorDesc& out, std::string what) {
  const auto shape = std::span(out.shape).first(static_cast<std::size_t>(out.rank));
  if (std::ranges::any_of(shape, [](std::int64_t n) { return n < 0; })) {
    out.remark(RemarkCode::negative_dimension, "shape " + shape_words(out));
  } else {
    out.remark(RemarkCode::size_overflow, std::move(what));
  }
}

// Fills stride_bits in C order. False, with a remark, when they do not fit.
bool imply_strides(TensorDesc& out) {
  const auto rank = static_cast<std::size_t>(out.rank);
  if (c_order_strides(std::span(out.shape).first(rank), out.item_bits(), std::span(out.stride_bits).first(rank))) return true;
  refuse_layout(out, "shape " + shape_words(out));
  return false;
}

// stride_bits holds strides in units of `bits_per_unit`; makes bits of them. False, with a remark, when they do not fit.
bool scale_strides(TensorDesc& out, std::int64_t bits_per_unit) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(out.rank); ++d) {
    const std::int64_t given = out.stride_bits[d];
    if (__builtin_mul_overflow(given, bits_per_unit, &out.stride_bits[d])) {
      refuse_layout(out, fmt::format("stride {} of axis {}, in units of {} bits", given, d, bits_per_unit));
      return false;
    }
  }
  return true;
}

bool check_bounds(TensorDesc& out) {
  if (check_layout(out.layout(), out.bounds) == LayoutFault::none) return true;
  refuse_layout(out, describe(out.layout()));  // rank and item size were checked before
  return false;
}

// Alignment and direction: legal, but consumers stumble over them.
void note_placement(TensorDesc& out, bool has_address) {
  if (out.bounds.lowest_bit < 0) out.remark(RemarkCode::negative_stride, backward_axes(out));
  const std::uint64_t alignment = natural_alignment(out.dtype);
  if (!has_address || alignment == 1) return;
  if (const std::uint64_t past = out.address() & (alignment - 1)) {
    out.remark(RemarkCode::unaligned, fmt::format("address is {} past a multiple of {}", past, alignment));
  } else if (out.protocol != Protocol::dlpack && has_odd_stride(out, alignment)) {  // DLPack counts in whole elements
    out.remark(RemarkCode::unaligned, fmt::format("a stride is no multiple of {} bytes", alignment));
  }
}

// Address arithmetic. Needs bounds. False, with a remark, when the bytes cannot lie where the numbers say.
bool place(TensorDesc& out) {
  if (out.byte_offset != 0) out.remark(RemarkCode::byte_offset_used, fmt::format("{} bytes", out.byte_offset));
  const bool is_address = device_memory(out.device) != DeviceMemory::handle;
  if (out.data == 0 && out.bounds.elements > 0) {
    out.remark(RemarkCode::data_null, fmt::format("data is NULL, {} elements", out.bounds.elements));
    note_placement(out, false);
    return true;  // shape and strides are good; the extent stays empty: no byte belongs to it
  }
  if (is_address) {
    const auto first = checked_add<std::uint64_t>(out.data, out.byte_offset);
    const auto range = first ? checked_extent(out.bounds, *first) : std::nullopt;
    if (!range) {
      out.remark(RemarkCode::address_overflow, fmt::format("data {:#x} + byte_offset {}, bits {} to {}", out.data,
                                                           out.byte_offset, out.bounds.lowest_bit, out.bounds.highest_bit));
      return false;
    }
    out.extent = *range;
  }
  if (out.bounds.elements > 0) note_placement(out, is_address);
  return true;
}

// ---- DLPack --------------------------------------------------------------------------------------------------------

// What the two managed structs have in common.
struct Managed {
  DLTensor tensor;
  Address manager;
  Address deleter;
};

// Numbers a real producer could have written. Only used to tell the two structs apart, never to refuse one.
bool plausible(const DLTensor& tensor) {
  constexpr std::int32_t kHighestDeviceType = 64;  // 18 are defined
  const auto device_type = static_cast<std::int32_t>(tensor.device.device_type);
  return tensor.ndim >= 0 && tensor.ndim <= kMaxRank && tensor.dtype.bits != 0 && tensor.dtype.lanes != 0 && device_type > 0 &&
         device_type <= kHighestDeviceType && (tensor.ndim == 0 || tensor.shape != nullptr);
}

// A legacy struct begins with the data pointer, a versioned one with {major, minor}: {1, small} is no address of anything.
bool starts_like_a_version(const DLTensor& legacy) {
  constexpr std::uint64_t kHighestMinor = 255;
  const Address data = address_of(legacy.data);
  return (data & 0xffff'ffff) == DLPACK_MAJOR_VERSION && data >> 32 <= kHighestMinor;
}

// The head of what was read as a versioned struct, taken as a legacy one.
DLManagedTensor legacy_view(const DLManagedTensorVersioned& raw) {
  DLManagedTensor legacy;
  std::memcpy(&legacy, &raw, sizeof legacy);
  return legacy;
}

std::uint16_t clamped(std::uint32_t version) { return static_cast<std::uint16_t>(std::min<std::uint32_t>(version, 0xffff)); }

constexpr Tri tri(bool value) { return value ? Tri::yes : Tri::no; }

void take_version_and_flags(const DLManagedTensorVersioned& managed, TensorDesc& out) {
  if (managed.version.minor > DLPACK_MINOR_VERSION) {
    out.remark(RemarkCode::unknown_minor_version, fmt::format("DLPack 1.{}", managed.version.minor));
  }
  if (const std::uint64_t unknown = managed.flags & ~kKnownFlags) {
    out.remark(RemarkCode::unknown_flags, fmt::format("flags {:#x}", unknown));
  }
  out.read_only = tri(managed.flags & DLPACK_FLAG_BITMASK_READ_ONLY);
  out.is_copied = tri(managed.flags & DLPACK_FLAG_BITMASK_IS_COPIED);
  out.subbyte_padded = tri(managed.flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
}

// The versioned struct at `address`. False, with a remark, when it is not one that may be read further; deleter and
// manager are filled also for a foreign major version, because the header keeps their place.
template <class Source>
bool read_versioned(Address address, const Source& source, Managed& managed, TensorDesc& out) {
  DLManagedTensorVersioned raw{};
  const std::size_t got = source.versioned_struct(address, raw);
  const bool ours = raw.version.major == DLPACK_MAJOR_VERSION;
  if (got < (ours ? kVersionedBytes : kLegacyBytes)) {
    out.remark(RemarkCode::struct_unreadable, fmt::format("{} of {} bytes at {:#x}", got, kVersionedBytes, address));
    return false;
  }
  if (!ours && plausible(legacy_view(raw).dl_tensor)) {
    out.remark(RemarkCode::struct_kind_mismatch, "named versioned, looks like the legacy struct");
    return false;
  }
  out.version_major = clamped(raw.version.major);
  out.version_minor = clamped(raw.version.minor);
  managed = {raw.dl_tensor, address_of(raw.manager_ctx), address_of(raw.deleter)};
  if (ours) {
    take_version_and_flags(raw, out);
    return true;
  }
  out.manager = managed.manager;
  out.deleter = managed.deleter;
  out.remark(RemarkCode::wrong_major_version, fmt::format("DLPack {}.{}", raw.version.major, raw.version.minor));
  return false;
}

template <class Source>
bool read_legacy(Address address, const Source& source, Managed& managed, TensorDesc& out) {
  DLManagedTensor raw{};
  if (!source.legacy_struct(address, raw)) {
    out.remark(RemarkCode::struct_unreadable, fmt::format("{} bytes at {:#x}", kLegacyBytes, address));
    return false;
  }
  DLManagedTensorVersioned other{};
  if (starts_like_a_version(raw.dl_tensor) && !plausible(raw.dl_tensor) && source.beyond_legacy(address, other) &&
      plausible(other.dl_tensor)) {
    out.remark(RemarkCode::struct_kind_mismatch, "named legacy, looks like the versioned struct");
    return false;
  }
  managed = {raw.dl_tensor, address_of(raw.manager_ctx), address_of(raw.deleter)};
  return true;
}

// Shape into out.shape. `all` also when there is nothing to read; anything else leaves has_metadata false.
template <class Source>
Got take_shape(const DLTensor& tensor, const Source& source, TensorDesc& out) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank) {
    out.remark(RemarkCode::ndim_out_of_range, fmt::format("ndim {}", tensor.ndim));
    return Got::not_all;
  }
  if (tensor.ndim == 0) return Got::all;
  if (tensor.shape == nullptr) {
    out.remark(RemarkCode::shape_null, fmt::format("ndim {}", tensor.ndim));
    return Got::not_all;
  }
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  const Got got = source.array(address_of(tensor.shape), std::span(out.shape).first(rank));
  if (got == Got::not_all)
    out.remark(RemarkCode::shape_unreadable, fmt::format("{} numbers at {:#x}", rank, address_of(tensor.shape)));
  if (got == Got::all) out.rank = tensor.ndim;
  return got;
}

// Strides in elements, as exported, into out.stride_bits; needs out.rank.
template <class Source>
Got take_strides(const DLTensor& tensor, const Source& source, TensorDesc& out) {
  const auto rank = static_cast<std::size_t>(out.rank);
  const Got got = source.array(address_of(tensor.strides), std::span(out.stride_bits).first(rank));
  if (got == Got::not_all) {
    out.remark(RemarkCode::strides_unreadable, fmt::format("{} numbers at {:#x}", rank, address_of(tensor.strides)));
  }
  return got;
}

void note_implied_strides(TensorDesc& out) {
  out.strides_implied = true;
  out.remark(RemarkCode::strides_implied, "NULL: C order");
  if (out.version_major == 1 && out.version_minor >= 2) {
    out.remark(RemarkCode::strides_null_since_1_2, fmt::format("DLPack 1.{}", out.version_minor));
  }
}

// False only when the source could not tell whether an array may be loaded.
template <class Source>
bool describe_tensor(const Managed& managed, const Source& source, TensorDesc& out) {
  const DLTensor& tensor = managed.tensor;
  out.manager = managed.manager;
  out.deleter = managed.deleter;
  if (managed.deleter == 0) out.remark(RemarkCode::deleter_null, "no deleter");
  out.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  out.device = {static_cast<std::int32_t>(tensor.device.device_type), tensor.device.device_id};
  out.data = address_of(tensor.data);
  out.byte_offset = tensor.byte_offset;
  const Got shape = take_shape(tensor, source, out);
  if (shape != Got::all) return shape != Got::cannot_tell;
  out.has_metadata = true;
  note_device(out);
  if (!check_dtype(out)) return true;
  if (out.rank > 0 && tensor.strides == nullptr) {
    note_implied_strides(out);
    out.has_layout = imply_strides(out) && check_bounds(out) && place(out);
    return true;
  }
  if (out.rank > 0) {
    const Got strides = take_strides(tensor, source, out);
    if (strides != Got::all) return strides != Got::cannot_tell;
  }
  out.has_layout = scale_strides(out, out.item_bits()) && check_bounds(out) && place(out);
  return true;
}

template <class Source>
bool describe_managed(Address managed, CapsuleKind kind, const Source& source, TensorDesc& out) {
  out.protocol = Protocol::dlpack;
  out.capsule = kind;
  out.struct_address = managed;
  if (managed == 0) {
    out.remark(RemarkCode::struct_unreadable, "NULL");
    return true;
  }
  Managed read{};
  const bool usable = kind == CapsuleKind::dltensor_versioned ? read_versioned(managed, source, read, out)
                                                              : read_legacy(managed, source, read, out);
  return !usable || describe_tensor(read, source, out);
}

}  // namespace

void describe_managed_checked(Address managed, CapsuleKind kind, const MemoryReader& reader, const AddressMap* map,
                              TensorDesc& out) {
  out.clear();
  out.read_by = ReadBy::checked;
  (void)describe_managed(managed, kind, CheckedSource{reader}, out);  // a checked source can always tell
  if (map != nullptr && out.deleter != 0 && !map->executable(out.deleter)) {
    out.remark(RemarkCode::deleter_not_code, fmt::format("deleter {:#x}", out.deleter));
  }
}

bool describe_managed_mapped(Address managed, CapsuleKind kind, InKnownMapping in_known_mapping, const void* context,
                             TensorDesc& out) {
  out.clear();
  out.read_by = ReadBy::mapped;
  return describe_managed(managed, kind, MappedSource{in_known_mapping, context}, out);
}

void describe_array(const ForeignArray& array, TensorDesc& out) {
  out.clear();
  out.protocol = array.protocol;
  out.dtype = array.dtype;
  out.device = array.device;
  out.data = array.data;
  out.read_only = tri(array.read_only);
  out.is_copied = out.subbyte_padded = Tri::no;
  if (array.shape.size() > static_cast<std::size_t>(kMaxRank)) {
    out.remark(RemarkCode::ndim_out_of_range, fmt::format("ndim {}", array.shape.size()));
    return;
  }
  out.rank = static_cast<std::int32_t>(array.shape.size());
  std::ranges::copy(array.shape, out.shape.begin());
  out.has_metadata = true;
  note_device(out);
  if (!check_dtype(out)) return;
  if (array.strides_bytes.empty() && out.rank > 0) {
    out.strides_implied = true;  // ordinary in these protocols: no remark
    out.has_layout = imply_strides(out) && check_bounds(out) && place(out);
    return;
  }
  if (array.strides_bytes.size() != array.shape.size()) {
    out.remark(RemarkCode::strides_unreadable,
               fmt::format("{} strides for {} dimensions", array.strides_bytes.size(), array.shape.size()));
    return;
  }
  std::ranges::copy(array.strides_bytes, out.stride_bits.begin());
  out.has_layout = scale_strides(out, 8) && check_bounds(out) && place(out);
}

}  // namespace dlscope::core
