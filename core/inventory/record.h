// The records of a snapshot. The table, the inspector, the JSON report, the Python module and the tests all read the same
// TensorRecord. Records are plain (trivially copyable, no pointers), because a snapshot is sent between processes as bytes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/address.h"
#include "core/sharing/sharing_pair.h"
#include "core/statistics/value_summary.h"
#include "core/tensor/device_id.h"
#include "core/tensor/dtype.h"
#include "core/tensor/item_type.h"
#include "core/tensor/remark.h"
#include "core/tensor/tensor_desc.h"

namespace dlscope::core {

inline constexpr std::uint64_t kUnknown64 = ~std::uint64_t{0};
inline constexpr std::uint32_t kNone32 = ~std::uint32_t{0};
inline constexpr std::uint16_t kNone16 = 0xffff;

// A slice of Snapshot::text (UTF-8, no terminator).
struct TextRef {
  std::uint32_t offset = 0, length = 0;
};
// A slice of another pool.
struct Slice {
  std::uint32_t first = 0, count = 0;
};

// TensorRecord::allocation: the tensor's object owns its memory, which is its extent. Most do, and need no record of it.
inline constexpr std::uint32_t kOwnAllocation = kNone32 - 1;

// One tensor. At most 200 bytes, because there may be 1e6 of them; shape, strides and texts lie in the snapshot's pools.
struct TensorRecord {
  Address data = 0, address = 0;  // address = data + byte_offset
  std::uint64_t byte_offset = 0;
  ByteRange extent;
  std::uint64_t elements = kUnknown64;        // kUnknown64 in this and the next two: unknown
  std::uint64_t nbytes = kUnknown64;          // elements * item_bits, rounded up to bytes
  std::uint64_t distinct_bytes = kUnknown64;  // bytes of memory that the elements touch; a repeated byte counts once
  Address struct_address = 0, manager = 0;
  // Added to the tensor's addresses, it gives numbers that are equal exactly for the same byte of memory, also where a file is mapped
  // at several addresses (core/memory/page_aliases.h). 0 almost always: its pages are mapped once.
  Address page_shift = 0;
  Slice names;                      // into Snapshot::names; the first is the tensor's name
  Slice refusals;                   // into Snapshot::refusals
  Slice remarks;                    // into Snapshot::remarks
  TextRef library, type;            // "torch"; "torch.Tensor"
  std::uint32_t dims = 0;           // shape at [dims, dims+rank), stride_bits at [dims+rank, dims+2*rank)
  std::uint32_t deleter = kNone32;  // into Snapshot::deleters
  std::uint32_t group = kNone32;    // into Snapshot::groups
  std::uint32_t allocation = kNone32;  // into Snapshot::allocations, or kOwnAllocation; kNone32: not known
  DType dtype;
  DeviceId device, claimed_device;
  std::uint32_t item_bits = 0;  // bits that one element takes in memory, padding included
  std::uint16_t version_major = 0, version_minor = 0;
  std::uint16_t alignment = 0;        // bytes: the largest power of two <= 4096 that divides address; 0: NULL or no address
  std::uint16_t item_type = kNone16;  // into Snapshot::item_types, for elements without a DLPack dtype
  std::uint16_t frame = kNone16;      // into Snapshot::frames: the frame whose local the first name is; kNone16: a module's name
  SpaceId space = kNoSpace;
  std::uint8_t rank = 0;
  Protocol protocol = Protocol::none;
  CapsuleKind capsule = CapsuleKind::none;
  ReadBy read_by = ReadBy::none;
  GivenBy given_by = GivenBy::none;
  Contiguity contiguity = Contiguity::unknown;
  Tri read_only = Tri::unknown, is_copied = Tri::unknown, subbyte_padded = Tri::unknown;
  bool strides_implied = false;
  bool has_claimed_device = false;
  bool has_metadata = false;  // false: every protocol refused the tensor, or its struct was unusable
  bool has_layout = false;    // false: shape and strides make no possible layout
  bool readable = false;      // the map grants reading the whole extent, and its ends were read
  bool held = false;  // dlscope holds a lease on it (report: held_by_dlscope)
};
static_assert(sizeof(TensorRecord) <= 200 && std::is_trivially_copyable_v<TensorRecord>);

// Why a protocol was not used for a tensor: the exception that the library raised.
struct RefusalRecord {
  Protocol protocol{};
  TextRef type, message;
};
struct RemarkRecord {
  RemarkCode code{};
  TextRef message;
};
struct DeleterRecord {
  Address address = 0;
  std::uint64_t library_offset = 0;  // bytes; of the function in the library's file mapping
  TextRef symbol, library;           // symbol may be empty
};

// An ItemType (core/tensor/item_type.h).
struct ItemTypeRecord {
  TextRef name;
  Slice fields;  // into Snapshot::item_fields
  std::uint32_t bytes = 0;
};
struct ItemFieldRecord {
  TextRef name;
  FieldLayout layout;
};

// A frame of the user's code whose locals were scanned.
struct FrameRecord {
  TextRef function, file;   // "Job.two"
  std::uint32_t line = 0;   // current line, from 1
  std::uint32_t depth = 0;  // among all Python frames; 0 is the innermost
};

// Objects of one type that the scan found but did not look into, although they may contain tensors.
struct NotEnteredRecord {
  std::uint64_t count = 0;
  TextRef type;
};

// Tensors connected through shared bytes.
struct GroupRecord {
  // From the lowest to the highest byte of the members; where their pages are mapped at several addresses, at those of the member with
  // the lowest one. Snapshot::group_range() gives it in the addresses of any member.
  ByteRange range;
  Address page_shift = 0;  // of the members whose addresses these are
  std::uint64_t distinct_bytes = kUnknown64;
  DeviceId device;
  Slice members;    // into Snapshot::group_members: tensor ids
  Slice libraries;  // into Snapshot::group_libraries
  SpaceId space = kNoSpace;
};

// As find_sharing() wrote it; a and b are tensor ids. The witness is an address of a's; witness_in() in relation.h gives that in b.
using PairRecord = SharingPair;
static_assert(kUnknownBytes == kUnknown64);

// The whole allocation that tensors' memory is part of, and where that is known from. Two records may have the same range.
struct AllocationRecord {
  ByteRange range;
  std::uint64_t used_bytes = kUnknown64;  // bytes of it that the snapshot's tensors touch; kUnknown64: not counted
  AllocationSource source{};
};

// Where a tensor's memory is according to the CUDA driver: cuda:1, cuda_host:0 (pinned), cuda_managed:0.
struct DriverDeviceRecord {
  DeviceId device;
  std::uint32_t tensor = 0;
};

enum class EventKind : std::uint8_t {
  export_,
  consume,
  deleter,
  destructor,
  refuse,
  copy,
  lease,
  release,
  device,
  script,
  write
};
[[nodiscard]] const char* event_kind_name(EventKind kind);
struct EventRecord {
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC
  std::uint32_t tensor = kNone32;
  EventKind kind{};
  TextRef text;
};
// A copy that dlscope made, or had a library make.
struct CopyRecord {
  std::uint64_t bytes = 0, ns = 0;
  TextRef from, to, why;
  std::uint64_t plain_ns = 0;  // what a plain copy of as many bytes on the same way takes here; 0: not known
  TextRef path = {};           // which way the bytes took: "cpu -> cpu, memcpy"; "": not known (a library made it)
};

// A bound of the scan, and whether it was reached.
struct LimitRecord {
  std::uint64_t limit = 0;
  TextRef what;
  bool reached = false;
};
struct LibraryRecord {
  TextRef name, version;
};
// Whether `address` is a valid address: the data is no handle, and data
// + byte_offset does not overflow. Used by report, tables and window.
[[nodiscard]] bool has_known_address(const TensorRecord& tensor);
// Whether the bytes that were described are a copy that the producer made for the asker. They end with the export, and where the
// tensor's own bytes lie is not known. False for a capsule of the user's, which keeps its copy, and for the arrays of a file.
[[nodiscard]] bool is_copy_for_export(const TensorRecord& tensor);
// Whether `extent` says where the bytes lie. An empty extent is known
// if there are no elements, and unknown for NULL data with elements.
[[nodiscard]] bool has_known_extent(const TensorRecord& tensor);

// Snapshot::spaces[id] describes SpaceId id. name: "host", "cuda:0".
struct SpaceRecord {
  DeviceId device;
  TextRef name;
};
struct DeviceRecord {
  DeviceId device;
  TextRef name;
  std::uint64_t total_bytes = kUnknown64, free_bytes = kUnknown64;
};

// Which moment a snapshot shows (report: "scanned").
enum class Scanned : std::uint8_t { none, end, interrupt, earlier, request, stop, raise };
[[nodiscard]] const char* scanned_name(Scanned scanned);

// The place in the user's code at which a snapshot was taken, for a stop or --at.
struct StopInfo {
  TextRef file, function, thread;
  std::uint32_t line = 0;  // from 1; 0: the snapshot was not taken at a stop
  std::uint32_t hit = 0;   // how many times the line had been reached
};

struct SnapshotInfo {
  std::uint64_t revision = 0;  // increases with every snapshot of one host
  std::uint64_t run = 0;       // which run it belongs to; 0: before the first
  std::int64_t taken_ns = 0;   // CLOCK_MONOTONIC
  Scanned scanned = Scanned::none;
  // Why the analysis of sharing is incomplete; none: it is complete.
  UnknownWhy missing_pairs = UnknownWhy::none;  // else: extents of tensors may meet although no pair is listed
  UnknownWhy open_groups = UnknownWhy::none;    // else: tensors of different groups may share bytes
  TextRef python_version, python_executable, python_prefix;
  StopInfo stop;
  // True: functions of the user's returned before the scan, so that tensors in their locals were not seen.
  bool functions_returned = false;
  TextRef last_function = {};  // the function that the script's top level calls last, such as "main"; "": not known
};

}  // namespace dlscope::core
