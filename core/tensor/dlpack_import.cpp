#include "core/tensor/dlpack_import.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "core/tensor/claimed_layout.h"

namespace dlscope::core {
namespace {

using claimed::tri;

constexpr std::size_t kLegacyBytes = sizeof(DLManagedTensor);
constexpr std::size_t kVersionedBytes = sizeof(DLManagedTensorVersioned);
static_assert(kLegacyBytes < kVersionedBytes && offsetof(DLManagedTensorVersioned, version) == 0);
constexpr std::uint64_t kKnownFlags =
    DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED | DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

template <class Pointer>
Address address_of(Pointer pointer) {
  return reinterpret_cast<Address>(pointer);
}

// What a managed struct of either kind says. Every number is kept in the width in which it is read again: see load().
struct Managed {
  std::uint32_t major = 0, minor = 0;  // these and the flags: versioned structs only
  std::uint64_t flags = 0;
  Address manager = 0, deleter = 0;
  Address data = 0, shape = 0, strides = 0;
  std::uint64_t byte_offset = 0;
  DeviceId device;
  DType dtype;
  std::int32_t ndim = 0;
};

static_assert(std::endian::native == std::endian::little);
DeviceId device_of(std::int32_t type, std::int32_t id) {
  return std::bit_cast<DeviceId>(static_cast<std::uint32_t>(type) | static_cast<std::uint64_t>(id) << 32);
}
DType dtype_of(std::uint8_t code, std::uint8_t bits, std::uint16_t lanes) {
  return std::bit_cast<DType>(code | std::uint32_t{bits} << 8 | std::uint32_t{lanes} << 16);
}

// ---- Where bytes come from -----------------------------------------------------------------------------------------

enum class Got : std::uint8_t { all, not_all, cannot_tell };

// Reads through a MemoryReader: any address may be given.
class CheckedSource {
 public:
  explicit CheckedSource(const MemoryReader& reader) : reader_(reader) {}

  // Bytes got; fewer than all of them when memory ends.
  std::size_t versioned_struct(Address from, Managed& to) const {
    DLManagedTensorVersioned raw{};
    const std::size_t got = read(from, raw);
    to.major = raw.version.major;
    to.minor = raw.version.minor;
    to.flags = raw.flags;
    take(raw, to);
    return got;
  }
  bool legacy_struct(Address from, Managed& to) const {
    DLManagedTensor raw{};
    const bool all = read(from, raw) == kLegacyBytes;
    take(raw, to);
    return all;
  }
  // What may lie behind a legacy struct: for a look at whether it is one.
  bool beyond_legacy(Address from, Managed& to) const { return versioned_struct(from, to) == kVersionedBytes; }
  Got array(Address from, std::span<std::int64_t> to) const {
    const auto bytes = std::as_writable_bytes(to);
    return reader_.read(from, bytes) == bytes.size() ? Got::all : Got::not_all;
  }

 private:
  template <class Struct>
  std::size_t read(Address from, Struct& to) const {
    return reader_.read(from, std::as_writable_bytes(std::span(&to, 1)));
  }
  template <class Struct>
  static void take(const Struct& raw, Managed& to) {
    const DLTensor& tensor = raw.dl_tensor;
    to.manager = address_of(raw.manager_ctx);
    to.deleter = address_of(raw.deleter);
    to.data = address_of(tensor.data);
    to.shape = address_of(tensor.shape);
    to.strides = address_of(tensor.strides);
    to.byte_offset = tensor.byte_offset;
    to.device = {static_cast<std::int32_t>(tensor.device.device_type), tensor.device.device_id};
    to.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
    to.ndim = tensor.ndim;
  }

  const MemoryReader& reader_;
};

// One load of a number's own width, made once. Wider ones would have to wait for what the producer stored a moment ago (the
// store buffer hands on whole numbers only), which costs more than everything else that is done to a struct.
template <class T>
T load(const T& from) {
  T value;
  __atomic_load(&from, &value, __ATOMIC_RELAXED);
  return value;
}

// Plain loads. The caller vouches for the struct and is asked about everything it points at.
class MappedSource {
 public:
  explicit MappedSource(const MappedMemory& memory) : memory_(memory) {}

  // A legacy struct under the wrong name ends earlier: the tail is only loaded when the head says version 1.
  std::size_t versioned_struct(Address from, Managed& to) const {
    const auto& managed = *reinterpret_cast<const DLManagedTensorVersioned*>(from);
    to.major = load(managed.version.major);
    to.minor = load(managed.version.minor);
    to.flags = load(managed.flags);
    to.manager = address_of(load(managed.manager_ctx));
    to.deleter = address_of(load(managed.deleter));
    load_head(managed.dl_tensor, to);
    if (to.major != DLPACK_MAJOR_VERSION) return kLegacyBytes;
    load_tail(managed.dl_tensor, to);
    return kVersionedBytes;
  }
  bool legacy_struct(Address from, Managed& to) const {
    const auto& managed = *reinterpret_cast<const DLManagedTensor*>(from);
    to.manager = address_of(load(managed.manager_ctx));
    to.deleter = address_of(load(managed.deleter));
    load_head(managed.dl_tensor, to);
    load_tail(managed.dl_tensor, to);
    return true;
  }
  bool beyond_legacy(Address from, Managed& to) const {
    return is_mapped(from, kVersionedBytes) && versioned_struct(from, to) == kVersionedBytes;
  }
  Got array(Address from, std::span<std::int64_t> to) const {
    if (from % alignof(std::int64_t) != 0 || !is_mapped(from, to.size_bytes())) return Got::cannot_tell;
    const auto* const numbers = reinterpret_cast<const std::int64_t*>(from);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = load(numbers[i]);
    return Got::all;
  }

 private:
  bool is_mapped(Address address, std::size_t size) const {
    const ByteRange around = memory_.around;
    if (around.contains(address) && size <= around.end - address) return true;
    return memory_.ask(memory_.context, address, size);
  }
  // The part of a tensor that lies within the length of a legacy struct, and the rest.
  static void load_head(const DLTensor& from, Managed& to) {
    to.data = address_of(load(from.data));
    to.device = device_of(static_cast<std::int32_t>(load(from.device.device_type)), load(from.device.device_id));
    to.ndim = load(from.ndim);
    to.dtype = dtype_of(load(from.dtype.code), load(from.dtype.bits), load(from.dtype.lanes));
    to.shape = address_of(load(from.shape));
  }
  static void load_tail(const DLTensor& from, Managed& to) {
    to.strides = address_of(load(from.strides));
    to.byte_offset = load(from.byte_offset);
  }

  const MappedMemory& memory_;
};
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) + offsetof(DLTensor, strides) <= kLegacyBytes);

// ---- DLPack --------------------------------------------------------------------------------------------------------

// Numbers a real producer could have written. Only used to tell the two structs apart, never to refuse one.
bool plausible(const Managed& managed) {
  constexpr std::int32_t kHighestDeviceType = 64;  // 18 are defined
  return managed.ndim >= 0 && managed.ndim <= kMaxRank && managed.dtype.bits != 0 && managed.dtype.lanes != 0 &&
         managed.device.type > 0 && managed.device.type <= kHighestDeviceType && (managed.ndim == 0 || managed.shape != 0);
}

// A legacy struct begins with the data pointer, a versioned one with {major, minor}: {1, small} is no address of anything.
bool starts_like_a_version(const Managed& legacy) {
  constexpr std::uint64_t kHighestMinor = 255;
  return (legacy.data & 0xffff'ffff) == DLPACK_MAJOR_VERSION && legacy.data >> 32 <= kHighestMinor;
}

std::uint16_t clamped(std::uint32_t version) { return static_cast<std::uint16_t>(std::min<std::uint32_t>(version, 0xffff)); }

[[gnu::cold]] void note_future(const Managed& managed, TensorDesc& out) {
  if (managed.minor > DLPACK_MINOR_VERSION) {
    out.remark(RemarkCode::unknown_minor_version, fmt::format("DLPack 1.{}", managed.minor));
  }
  if (const std::uint64_t unknown = managed.flags & ~kKnownFlags) {
    out.remark(RemarkCode::unknown_flags, fmt::format("flags {:#x}", unknown));
  }
}

void take_version_and_flags(const Managed& managed, TensorDesc& out) {
  out.version_major = clamped(managed.major);
  out.version_minor = clamped(managed.minor);
  if (managed.minor > DLPACK_MINOR_VERSION || (managed.flags & ~kKnownFlags) != 0) note_future(managed, out);
  out.read_only = tri(managed.flags & DLPACK_FLAG_BITMASK_READ_ONLY);
  out.is_copied = tri(managed.flags & DLPACK_FLAG_BITMASK_IS_COPIED);
  out.subbyte_padded = tri(managed.flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
}

// What was to be a versioned struct is none of ours: why not. Deleter and manager are kept also for a foreign major version,
// because the header keeps their place.
template <class Source>
[[gnu::cold, gnu::noinline]] void refuse_versioned(Address address, const Source& source, std::size_t got, Managed managed,
                                                   TensorDesc& out) {
  if (got < (managed.major == DLPACK_MAJOR_VERSION ? kVersionedBytes : kLegacyBytes)) {
    out.remark(RemarkCode::struct_unreadable, fmt::format("{} of {} bytes at {:#x}", got, kVersionedBytes, address));
    return;
  }
  if (Managed legacy; source.legacy_struct(address, legacy) && plausible(legacy)) {
    out.remark(RemarkCode::struct_kind_mismatch, "named versioned, looks like the legacy struct");
    return;
  }
  out.version_major = clamped(managed.major);
  out.version_minor = clamped(managed.minor);
  out.manager = managed.manager;
  out.deleter = managed.deleter;
  out.remark(RemarkCode::wrong_major_version, fmt::format("DLPack {}.{}", managed.major, managed.minor));
}

// The versioned struct at `address`. False, with a remark, when it is not one that may be read further.
template <class Source>
bool read_versioned(Address address, const Source& source, Managed& managed, TensorDesc& out) {
  const std::size_t got = source.versioned_struct(address, managed);
  if (managed.major != DLPACK_MAJOR_VERSION || got < kVersionedBytes) {
    refuse_versioned(address, source, got, managed, out);
    return false;
  }
  take_version_and_flags(managed, out);
  return true;
}

template <class Source>
bool read_legacy(Address address, const Source& source, Managed& managed, TensorDesc& out) {
  if (!source.legacy_struct(address, managed)) {
    out.remark(RemarkCode::struct_unreadable, fmt::format("{} bytes at {:#x}", kLegacyBytes, address));
    return false;
  }
  if (!starts_like_a_version(managed) || plausible(managed)) return true;
  Managed other;
  if (!source.beyond_legacy(address, other) || !plausible(other)) return true;
  out.remark(RemarkCode::struct_kind_mismatch, "named legacy, looks like the versioned struct");
  return false;
}

[[gnu::cold]] void note_no_deleter(TensorDesc& out) { out.remark(RemarkCode::deleter_null, "no deleter"); }

[[gnu::cold]] Got refuse_rank(std::int32_t ndim, TensorDesc& out) {
  out.remark(RemarkCode::ndim_out_of_range, fmt::format("ndim {}", ndim));
  return Got::not_all;
}

[[gnu::cold]] Got refuse_null_shape(std::int32_t ndim, TensorDesc& out) {
  out.remark(RemarkCode::shape_null, fmt::format("ndim {}", ndim));
  return Got::not_all;
}

[[gnu::cold]] void note_unread(TensorDesc& out, RemarkCode code, std::size_t rank, Address address) {
  out.remark(code, fmt::format("{} numbers at {:#x}", rank, address));
}

// Shape into out.shape. `all` also when there is nothing to read; anything else leaves has_metadata false.
template <class Source>
Got take_shape(const Managed& tensor, const Source& source, TensorDesc& out) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank) return refuse_rank(tensor.ndim, out);
  if (tensor.ndim == 0) return Got::all;
  if (tensor.shape == 0) return refuse_null_shape(tensor.ndim, out);
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  const Got got = source.array(tensor.shape, std::span(out.shape).first(rank));
  if (got == Got::not_all) note_unread(out, RemarkCode::shape_unreadable, rank, tensor.shape);
  if (got == Got::all) out.rank = tensor.ndim;
  return got;
}

// Strides in elements, as exported, into out.stride_bits; needs out.rank.
template <class Source>
Got take_strides(const Managed& tensor, const Source& source, TensorDesc& out) {
  const auto rank = static_cast<std::size_t>(out.rank);
  const Got got = source.array(tensor.strides, std::span(out.stride_bits).first(rank));
  if (got == Got::not_all) note_unread(out, RemarkCode::strides_unreadable, rank, tensor.strides);
  return got;
}

[[gnu::cold]] void note_implied_strides(TensorDesc& out) {
  out.strides_implied = true;
  out.remark(RemarkCode::strides_implied, "NULL: C order");
  if (out.version_major == 1 && out.version_minor >= 2) {
    out.remark(RemarkCode::strides_null_since_1_2, fmt::format("DLPack 1.{}", out.version_minor));
  }
}

// False only when the source could not tell whether an array may be loaded.
template <class Source>
bool describe_tensor(const Managed& managed, const Source& source, TensorDesc& out) {
  out.manager = managed.manager;
  out.deleter = managed.deleter;
  out.dtype = managed.dtype;
  out.device = managed.device;
  out.data = managed.data;
  out.byte_offset = managed.byte_offset;
  if (managed.deleter == 0) note_no_deleter(out);
  const Got shape = take_shape(managed, source, out);
  if (shape != Got::all) return shape != Got::cannot_tell;
  out.has_metadata = true;
  claimed::note_device(out);
  if (!claimed::check_dtype(out)) return true;
  if (out.rank > 0 && managed.strides == 0) {
    note_implied_strides(out);
    out.has_layout = claimed::imply_strides(out) && claimed::bound_axes(out, 1) && claimed::place(out);
    return true;
  }
  if (out.rank > 0) {
    const Got strides = take_strides(managed, source, out);
    if (strides != Got::all) return strides != Got::cannot_tell;
  }
  out.has_layout = claimed::bound_axes(out, out.item_bits()) && claimed::place(out);
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

bool describe_managed_mapped(Address managed, CapsuleKind kind, const MappedMemory& memory, TensorDesc& out) {
  out.clear();
  out.read_by = ReadBy::mapped;
  if (managed % alignof(DLManagedTensorVersioned) != 0) return false;
  return describe_managed(managed, kind, MappedSource{memory}, out);
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
  claimed::note_device(out);
  if (!claimed::check_dtype(out)) return;
  if (array.strides_bytes.empty() && out.rank > 0) {
    out.strides_implied = true;  // ordinary in these protocols: no remark
    out.has_layout = claimed::imply_strides(out) && claimed::bound_axes(out, 1) && claimed::place(out);
    return;
  }
  if (array.strides_bytes.size() != array.shape.size()) {
    out.remark(RemarkCode::strides_unreadable,
               fmt::format("{} strides for {} dimensions", array.strides_bytes.size(), array.shape.size()));
    return;
  }
  std::ranges::copy(array.strides_bytes, out.stride_bits.begin());
  out.has_layout = claimed::bound_axes(out, 8) && claimed::place(out);
}

}  // namespace dlscope::core
