// TensorDesc: what was found out about one foreign tensor. All numbers are copies: a
// TensorDesc keeps nothing alive, and the addresses in it are never dereferenced through
// it. A scan reuses one object for all tensors, so that it allocates only for remarks.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/base/address.h"
#include "core/tensor/device_id.h"
#include "core/tensor/dtype.h"
#include "core/tensor/item_type.h"
#include "core/tensor/layout.h"
#include "core/tensor/remark.h"

namespace dlscope::core {

// attributes: no protocol was called; the library's own attributes say where the memory is.
enum class Protocol : std::uint8_t { none, dlpack, buffer, array_interface, cuda_array_interface, file, attributes };
enum class CapsuleKind : std::uint8_t { none, dltensor, dltensor_versioned };
enum class ReadBy : std::uint8_t { none, checked, mapped };
// How the DLPack struct was obtained: by a call of __dlpack__, through the
// type's exchange table, or from a capsule that the user's code holds.
enum class GivenBy : std::uint8_t { none, dlpack_method, exchange_table, held_capsule };
enum class Tri : std::uint8_t { unknown, no, yes };

// Who says which allocation a tensor's memory is part of.
enum class AllocationSource : std::uint8_t {
  storage,   // the library's storage: its base and size
  base,      // the object at the end of .base, .obj or .parent
  exporter,  // the tensor's object itself, whose memory it is
  mapping,   // an mmap object
  driver,    // the CUDA driver
};
[[nodiscard]] const char* allocation_source_name(AllocationSource source);  // "storage", ...
// Less of an allocation that is kept alive unused is not remarked on: an array library keeps small bases alive all the time, at no
// cost that anybody would look for.
inline constexpr std::uint64_t kLeastUnused = std::uint64_t{1} << 20;

[[nodiscard]] const char* protocol_name(Protocol protocol);     // "dlpack", ...; "" for none
[[nodiscard]] const char* capsule_kind_name(CapsuleKind kind);  // "dltensor", ...
[[nodiscard]] const char* read_by_name(ReadBy read_by);
[[nodiscard]] const char* given_by_name(GivenBy given_by);  // "__dlpack__", "__dlpack_c_exchange_api__", "capsule"

struct TensorDesc {
  Protocol protocol = Protocol::none;
  CapsuleKind capsule = CapsuleKind::none;
  ReadBy read_by = ReadBy::none;
  GivenBy given_by = GivenBy::none;
  Tri read_only = Tri::unknown;  // these three are unknown for a legacy capsule, which has no flags
  Tri is_copied = Tri::unknown;
  Tri subbyte_padded = Tri::unknown;
  bool strides_implied = false;  // the producer gave no strides (NULL), which means C order; false for rank 0
  bool has_claimed_device = false;
  // False: the struct could not be used (wrong major version, unreadable,
  // impossible rank; the remarks say which); do not rely on the fields below.
  bool has_metadata = false;
  // False: shape or strides are impossible; bounds and extent are meaningless.
  bool has_layout = false;
  std::uint16_t version_major = 0, version_minor = 0;  // 0, 0: not a versioned capsule
  DType dtype;
  std::shared_ptr<const ItemType> item_type;  // set for elements without a DLPack dtype; dtype is then dtype_of_item()
  DeviceId device;                            // according to the struct
  DeviceId claimed_device;                    // according to __dlpack_device__(), if has_claimed_device
  Address data = 0;
  std::uint64_t byte_offset = 0;
  Address struct_address = 0;  // of the managed struct; a scan has released it already, so the address may have been reused
  Address manager = 0;         // manager_ctx; with Protocol::attributes: of the storage object, which views have in common
  Address deleter = 0;         // 0: NULL
  std::int32_t rank = 0;
  LayoutBounds bounds;  // valid if has_layout
  ByteRange extent;     // valid if has_layout
  ByteRange allocation;  // the whole allocation that contains the extent; empty: not known
  AllocationSource allocation_source{};
  // Counted where much of the allocation is outside the extent: the references to what owns it, 0: not counted; and which object of
  // those on the way to the tensor has one of them. More references than such objects: something else keeps the allocation, too.
  std::uint32_t allocation_references = 0;
  Address allocation_referrer = 0;
  // Only [0, rank) is filled.
  std::array<std::int64_t, kMaxRank> shape;
  std::array<std::int64_t, kMaxRank> stride_bits;
  std::vector<Remark> remarks;

  [[nodiscard]] Address address() const { return data + byte_offset; }  // of element [0,...,0]
  [[nodiscard]] LayoutView layout() const {
    const auto n = static_cast<std::size_t>(rank);
    return {{shape.data(), n}, {stride_bits.data(), n}, item_bits()};
  }
  // Bits that one element takes in memory; padded sub-byte types take whole bytes.
  [[nodiscard]] std::uint32_t item_bits() const {
    const std::uint32_t bits = dtype.item_bits();
    return subbyte_padded == Tri::yes ? (bits + 7) / 8 * 8 : bits;
  }

  // Resets everything, keeping the capacity of `remarks`.
  void clear() {
    protocol = Protocol::none;
    capsule = CapsuleKind::none;
    read_by = ReadBy::none;
    given_by = GivenBy::none;
    read_only = is_copied = subbyte_padded = Tri::unknown;
    strides_implied = has_claimed_device = has_metadata = has_layout = false;
    version_major = version_minor = 0;
    dtype = {};
    item_type.reset();
    device = claimed_device = {};
    data = struct_address = manager = deleter = 0;
    byte_offset = 0;
    rank = 0;
    bounds = {};
    extent = {};
    allocation_references = 0;
    allocation = {};  // not assigned from one another: 16 bytes loaded where two halves were just stored stall every import
    remarks.clear();
  }
  void remark(RemarkCode code, std::string message) { remarks.push_back({code, std::move(message)}); }
};

}  // namespace dlscope::core
