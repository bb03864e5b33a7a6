#include "core/tensor/dlpack_import.h"

#include <dlpack/dlpack.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "core/tensor/claimed_layout.h"
#include "core/tensor/unknown_flags.h"

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

// Loads each number exactly once and with its own width. Once, because the producer's other threads may write meanwhile. With its
// own width, because a wider load of numbers that were just stored cannot be forwarded from the store buffer; the stall would
// cost more than everything else that is done to a struct.
template <class T>
T load(const T& from) {
  T value;
  __atomic_load(&from, &value, __ATOMIC_RELAXED);
  return value;
}

// The numbers are combined before they are stored, so that later whole-struct loads are forwarded from the store buffer.
static_assert(std::endian::native == std::endian::little);
DeviceId load_device(const DLDevice& from) {
  const auto type = static_cast<std::uint32_t>(load(from.device_type));
  return std::bit_cast<DeviceId>(type | static_cast<std::uint64_t>(load(from.device_id)) << 32);
}
DType load_dtype(const DLDataType& from) {
  return std::bit_cast<DType>(load(from.code) | std::uint32_t{load(from.bits)} << 8 | std::uint32_t{load(from.lanes)} << 16);
}

// ---- Where bytes come from -----------------------------------------------------------------------------------------

enum class ReadResult : std::uint8_t { all, not_all, cannot_tell };

// A struct whose first `bytes` bytes may be loaded. at == nullptr: the source cannot tell whether any may.
template <class Struct>
struct Opened {
  const Struct* at = nullptr;
  std::size_t bytes = 0;
};

// Checked reading, through a MemoryReader. Accepts any address.
class CheckedSource {
 public:
  explicit CheckedSource(const MemoryReader& reader) : reader_(reader) {}

  static bool trusts(Address) { return true; }  // reading cannot fault, so the owner of the struct does not matter

  // Reads the struct into `copy`; bytes that could not be read are zero.
  template <class Struct>
  Opened<Struct> open(Address from, Struct& copy) const {
    copy = {};
    return {&copy, reader_.read(from, std::as_writable_bytes(std::span(&copy, 1)))};
  }
  ReadResult array(Address from, std::span<std::int64_t> to) const {
    const auto bytes = std::as_writable_bytes(to);
    return reader_.read(from, bytes) == bytes.size() ? ReadResult::all : ReadResult::not_all;
  }
  // Of the last read, behind the words that say what was not read.
  std::string problem() const {
    const std::string why = reader_.problem();
    return why.empty() ? "" : ": " + why;
  }

 private:
  const MemoryReader& reader_;
};

// Mapped reading: plain loads, where MappedMemory allows them.
class MappedSource {
 public:
  explicit MappedSource(MappedMemory& memory) : memory_(memory) {}

  bool trusts(Address deleter) const { return memory_.trusts(deleter); }

  template <class Struct>
  Opened<Struct> open(Address from, Struct& /*copy*/) const {
    if (from % alignof(Struct) != 0 || !memory_.contains(from, sizeof(Struct))) return {};
    return {reinterpret_cast<const Struct*>(from), sizeof(Struct)};
  }
  ReadResult array(Address from, std::span<std::int64_t> to) const {
    if (from % alignof(std::int64_t) != 0 || !memory_.contains(from, to.size_bytes())) return ReadResult::cannot_tell;
    const auto* const numbers = reinterpret_cast<const std::int64_t*>(from);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = load(numbers[i]);
    return ReadResult::all;
  }
  static std::string problem() { return {}; }

 private:
  MappedMemory& memory_;
};

// ---- DLPack --------------------------------------------------------------------------------------------------------

// True for numbers that a real producer could have written. Used only to tell the two kinds of struct apart, never to refuse one.
bool plausible(const DLTensor& tensor) {
  constexpr std::int32_t kHighestDeviceType = 64;  // 18 are defined
  const std::int32_t ndim = load(tensor.ndim);
  const std::int32_t device_type = load_device(tensor.device).type;
  return ndim >= 0 && ndim <= kMaxRank && load_dtype(tensor.dtype).item_bits() != 0 && device_type > 0 &&
         device_type <= kHighestDeviceType && (ndim == 0 || load(tensor.shape) != nullptr);
}

// Whether the numbers at `address` are plausible for a struct of this kind.
template <class Struct, class Source>
bool looks_like(Address address, const Source& source) {
  Struct copy;
  const auto [opened, bytes] = source.open(address, copy);
  return opened != nullptr && bytes == sizeof(Struct) && plausible(opened->dl_tensor);
}

std::uint16_t clamped(std::uint32_t version) { return static_cast<std::uint16_t>(std::min<std::uint32_t>(version, 0xffff)); }

[[gnu::cold]] void note_future(std::uint32_t minor, std::uint64_t flags, TensorDesc& out) {
  if (minor > DLPACK_MINOR_VERSION) out.remark(RemarkCode::unknown_minor_version, fmt::format("DLPack 1.{}", minor));
  if (const std::uint64_t unknown = flags & ~kKnownFlags) {
    out.remark(RemarkCode::unknown_flags, unknown_flags_text(unknown));
  }
}

inline void take_version_and_flags(const DLManagedTensorVersioned& managed, TensorDesc& out) {
  const std::uint32_t minor = load(managed.version.minor);
  const std::uint64_t flags = load(managed.flags);
  out.version_major = DLPACK_MAJOR_VERSION;
  out.version_minor = clamped(minor);
  if (minor > DLPACK_MINOR_VERSION || (flags & ~kKnownFlags) != 0) note_future(minor, flags, out);
  out.read_only = tri(flags & DLPACK_FLAG_BITMASK_READ_ONLY);
  out.is_copied = tri(flags & DLPACK_FLAG_BITMASK_IS_COPIED);
  out.subbyte_padded = tri(flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
}

// Adds the remark that says why this cannot be read as a versioned struct. Deleter and manager are recorded even for another
// major version, because dlpack.h guarantees their place in the struct.
template <class Source>
[[gnu::cold, gnu::noinline]] void refuse_versioned(Address address, const Source& source,
                                                   Opened<DLManagedTensorVersioned> managed, TensorDesc& out) {
  const std::uint32_t major = load(managed.at->version.major), minor = load(managed.at->version.minor);
  if (managed.bytes < (major == DLPACK_MAJOR_VERSION ? kVersionedBytes : kLegacyBytes)) {
    out.remark(RemarkCode::struct_unreadable, fmt::format("{} of {} bytes at {:#x}{}", managed.bytes, kVersionedBytes, address,
                                                          source.problem()));
    return;
  }
  if (looks_like<DLManagedTensor>(address, source)) {
    out.remark(RemarkCode::struct_kind_mismatch, "named versioned, looks like the legacy struct");
    return;
  }
  out.version_major = clamped(major);
  out.version_minor = clamped(minor);
  out.manager = address_of(load(managed.at->manager_ctx));
  out.deleter = address_of(load(managed.at->deleter));
  out.remark(RemarkCode::wrong_major_version, fmt::format("DLPack {}.{}", major, minor));
}

// A legacy struct begins with the data pointer, a versioned one with {major,
// minor}. {1, small number}, read as a pointer, is never a valid address.
bool starts_like_a_version(const DLManagedTensor& legacy) {
  constexpr std::uint64_t kHighestMinor = 255;
  const Address data = address_of(load(legacy.dl_tensor.data));
  return (data & 0xffff'ffff) == DLPACK_MAJOR_VERSION && data >> 32 <= kHighestMinor;
}

[[gnu::cold]] void note_no_deleter(TensorDesc& out) { out.remark(RemarkCode::deleter_null, "no deleter"); }

[[gnu::cold]] ReadResult refuse_rank(std::int32_t ndim, TensorDesc& out) {
  out.remark(RemarkCode::ndim_out_of_range, fmt::format("ndim {}", ndim));
  return ReadResult::not_all;
}

[[gnu::cold]] ReadResult refuse_null_shape(std::int32_t ndim, TensorDesc& out) {
  out.remark(RemarkCode::shape_null, fmt::format("ndim {}", ndim));
  return ReadResult::not_all;
}

template <class Source>
[[gnu::cold]] void note_unread(TensorDesc& out, RemarkCode code, std::size_t rank, Address address, const Source& source) {
  out.remark(code, fmt::format("{} numbers at {:#x}{}", rank, address, source.problem()));
}

// Reads the shape into out.shape. Returns `all` also for rank 0. Any other answer leaves has_metadata false.
template <class Source>
inline ReadResult take_shape(const DLTensor& tensor, const Source& source, TensorDesc& out) {
  const std::int32_t ndim = load(tensor.ndim);
  if (ndim < 0 || ndim > kMaxRank) return refuse_rank(ndim, out);
  if (ndim == 0) return ReadResult::all;
  const Address shape = address_of(load(tensor.shape));
  if (shape == 0) return refuse_null_shape(ndim, out);
  const auto rank = static_cast<std::size_t>(ndim);
  const ReadResult got = source.array(shape, std::span(out.shape).first(rank));
  if (got == ReadResult::not_all) note_unread(out, RemarkCode::shape_unreadable, rank, shape, source);
  if (got == ReadResult::all) out.rank = ndim;
  return got;
}

// Reads the strides, in elements as exported, into out.stride_bits. Needs out.rank.
template <class Source>
inline ReadResult take_strides(Address strides, const Source& source, TensorDesc& out) {
  const auto rank = static_cast<std::size_t>(out.rank);
  const ReadResult got = source.array(strides, std::span(out.stride_bits).first(rank));
  if (got == ReadResult::not_all) note_unread(out, RemarkCode::strides_unreadable, rank, strides, source);
  return got;
}

[[gnu::cold]] void note_implied_strides(TensorDesc& out) {
  out.strides_implied = true;
  out.remark(RemarkCode::strides_implied, "NULL: C order");
  if (out.version_major == 1 && out.version_minor >= 2) {
    out.remark(RemarkCode::strides_null_since_1_2, fmt::format("DLPack 1.{}", out.version_minor));
  }
}

// A flag can change what other fields mean, as the one for padded sub-byte elements does; an unknown one could, too.
[[gnu::cold]] bool may_imply_strides(TensorDesc& out) {
  if (std::ranges::find(out.remarks, RemarkCode::unknown_flags, &Remark::code) == out.remarks.end()) return true;
  out.remark(RemarkCode::strides_unreadable, "NULL, under a flag that is unknown here: no order is assumed");
  return false;
}

// Reads what both kinds of struct have in common. `not_all`: a remark says what is wrong.
template <class Managed, class Source>
inline ReadResult describe_tensor(const Managed& managed, const Source& source, TensorDesc& out) {
  const DLTensor& tensor = managed.dl_tensor;
  out.manager = address_of(load(managed.manager_ctx));
  out.dtype = load_dtype(tensor.dtype);
  out.device = load_device(tensor.device);
  out.data = address_of(load(tensor.data));
  out.byte_offset = load(tensor.byte_offset);
  if (out.deleter == 0) note_no_deleter(out);
  if (const ReadResult shape = take_shape(tensor, source, out); shape != ReadResult::all) return shape;
  out.has_metadata = true;
  claimed::note_device(out);
  if (!claimed::check_dtype(out)) return ReadResult::not_all;
  const Address strides = address_of(load(tensor.strides));
  if (out.rank > 0 && strides == 0) {
    if (!may_imply_strides(out)) return ReadResult::not_all;
    note_implied_strides(out);
    out.has_layout = claimed::imply_strides(out) && claimed::bound_axes(out, 1) && claimed::place(out);
    return ReadResult::all;
  }
  if (out.rank > 0) {
    if (const ReadResult got = take_strides(strides, source, out); got != ReadResult::all) return got;
  }
  out.has_layout = claimed::bound_axes(out, out.item_bits()) && claimed::place(out);
  return ReadResult::all;
}

template <class Source>
inline ReadResult describe_versioned(Address address, const Source& source, TensorDesc& out) {
  DLManagedTensorVersioned copy;
  const auto opened = source.open(address, copy);
  if (opened.at == nullptr) return ReadResult::cannot_tell;
  const Address deleter = address_of(load(opened.at->deleter));
  if (!source.trusts(deleter)) return ReadResult::cannot_tell;
  if (opened.bytes < kVersionedBytes || load(opened.at->version.major) != DLPACK_MAJOR_VERSION) {
    refuse_versioned(address, source, opened, out);
    return ReadResult::not_all;
  }
  take_version_and_flags(*opened.at, out);
  out.deleter = deleter;
  return describe_tensor(*opened.at, source, out);
}

template <class Source>
ReadResult describe_legacy(Address address, const Source& source, TensorDesc& out) {
  DLManagedTensor copy;
  const auto opened = source.open(address, copy);
  if (opened.at == nullptr) return ReadResult::cannot_tell;
  const Address deleter = address_of(load(opened.at->deleter));
  if (!source.trusts(deleter)) return ReadResult::cannot_tell;
  if (opened.bytes < kLegacyBytes) {
    out.remark(RemarkCode::struct_unreadable, fmt::format("{} bytes at {:#x}{}", kLegacyBytes, address, source.problem()));
    return ReadResult::not_all;
  }
  if (starts_like_a_version(*opened.at) && !plausible(opened.at->dl_tensor) &&
      looks_like<DLManagedTensorVersioned>(address, source)) {
    out.remark(RemarkCode::struct_kind_mismatch, "named legacy, looks like the versioned struct");
    return ReadResult::not_all;
  }
  out.deleter = deleter;
  return describe_tensor(*opened.at, source, out);
}

template <class Source>
ReadResult describe_managed(Address managed, CapsuleKind kind, const Source& source, TensorDesc& out) {
  out.protocol = Protocol::dlpack;
  out.capsule = kind;
  out.struct_address = managed;
  if (managed == 0) {
    out.remark(RemarkCode::struct_unreadable, "NULL");
    return ReadResult::not_all;
  }
  return kind == CapsuleKind::dltensor_versioned ? describe_versioned(managed, source, out)
                                                 : describe_legacy(managed, source, out);
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

bool describe_managed_mapped(Address managed, CapsuleKind kind, MappedMemory& memory, TensorDesc& out) {
  out.clear();
  out.read_by = ReadBy::mapped;
  return describe_managed(managed, kind, MappedSource{memory}, out) != ReadResult::cannot_tell;
}

void describe_array(const ForeignArray& array, TensorDesc& out) {
  out.clear();
  out.protocol = array.protocol;
  out.dtype = array.dtype;
  out.item_type = array.item_type;
  out.device = array.device;
  out.data = array.data;
  out.read_only = tri(array.read_only);
  out.is_copied = tri(array.is_copied);
  out.subbyte_padded = Tri::no;
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
    out.strides_implied = true;  // usual in these protocols, so there is no remark
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
