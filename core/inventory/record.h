// The records of a snapshot: one TensorRecord feeds the table, the inspector, the JSON report, the Python module and
// the tests. All of them are plain (trivially copyable, no pointers): a snapshot travels as bytes.
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

// At most 200 bytes (performance goal); shape and strides lie in Snapshot::dims, names in Snapshot::names.
struct TensorRecord {
  Address data = 0, address = 0;  // address = data + byte_offset
  std::uint64_t byte_offset = 0;
  ByteRange extent;
  std::uint64_t elements = kUnknown64;  // kUnknown64: unknown, in all three
  std::uint64_t nbytes = kUnknown64;
  std::uint64_t distinct_bytes = kUnknown64;
  Address struct_address = 0, manager = 0;
  Slice names;                      // into Snapshot::names; the first is the tensor's name
  Slice refusals;                   // into Snapshot::refusals
  Slice remarks;                    // into Snapshot::remarks
  TextRef library, type;            // "torch"; "torch.Tensor"
  std::uint32_t dims = 0;           // shape at [dims, dims+rank), stride_bits at [dims+rank, dims+2*rank)
  std::uint32_t deleter = kNone32;  // into Snapshot::deleters
  std::uint32_t group = kNone32;    // into Snapshot::groups
  DType dtype;
  DeviceId device, claimed_device;
  std::uint32_t item_bits = 0;  // bits of one element as laid out (padding included)
  std::uint16_t version_major = 0, version_minor = 0;
  std::uint16_t alignment = 0;        // 0: unknown (NULL or no address)
  std::uint16_t item_type = kNone16;  // into Snapshot::item_types: elements DLPack has no dtype for
  std::uint16_t frame = kNone16;      // into Snapshot::frames: whose local the first name is; kNone16: a module's
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
  bool has_metadata = false;  // false: refused by every protocol, or an unusable struct
  bool has_layout = false;
  bool readable = false;
  bool held = false;  // dlscope holds a lease on it (report: held_by_dlscope)
};
static_assert(sizeof(TensorRecord) <= 200 && std::is_trivially_copyable_v<TensorRecord>);

struct RefusalRecord {
  Protocol protocol{};
  TextRef type, message;
};  // exception type and the library's own words
struct RemarkRecord {
  RemarkCode code{};
  TextRef message;
};
struct DeleterRecord {
  Address address = 0;
  std::uint64_t library_offset = 0;
  TextRef symbol, library;
};  // symbol may be empty

// core/tensor/item_type.h
struct ItemTypeRecord {
  TextRef name;
  Slice fields;  // into Snapshot::item_fields
  std::uint32_t bytes = 0;
};
struct ItemFieldRecord {
  TextRef name;
  FieldLayout layout;
};

// A frame of the user's code that was looked into.
struct FrameRecord {
  TextRef function, file;   // "Job.two"
  std::uint32_t line = 0;   // where it stands
  std::uint32_t depth = 0;  // among all Python frames; 0 is the innermost
};

// Objects the scan met and did not look into, though they may hold others.
struct NotEnteredRecord {
  std::uint64_t count = 0;
  TextRef type;
};

struct GroupRecord {
  ByteRange range;
  std::uint64_t distinct_bytes = kUnknown64;
  DeviceId device;
  Slice members;    // into Snapshot::group_members: tensor ids
  Slice libraries;  // into Snapshot::group_libraries
  SpaceId space = kNoSpace;
};

// As find_sharing() wrote it; a and b are tensor ids. witness_elements() (relation.h) says which elements lie there.
using PairRecord = SharingPair;
static_assert(kUnknownBytes == kUnknown64);

// The whole piece of memory a tensor is a part of, and who says so.
enum class AllocationSource : std::uint8_t { driver };
[[nodiscard]] const char* allocation_source_name(AllocationSource source);
struct AllocationRecord {
  ByteRange range;
  std::uint32_t tensor = 0;
  AllocationSource source{};
};

// Where a tensor's memory is by the word of the CUDA driver: cuda:1, cuda_host:0 (pinned), cuda_managed:0.
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
  std::int64_t t_ns = 0;
  std::uint32_t tensor = kNone32;
  EventKind kind{};
  TextRef text;
};
struct CopyRecord {
  std::uint64_t bytes = 0, ns = 0;
  TextRef from, to, why;
};

struct LimitRecord {
  std::uint64_t limit = 0;
  TextRef what;
  bool reached = false;
};
struct LibraryRecord {
  TextRef name, version;
};
// Whether `address` is one: not a handle, and not beyond the end of the address space. One rule for report, tables and window.
[[nodiscard]] bool has_known_address(const TensorRecord& tensor);
// Whether `extent` says where the bytes lie; an empty one is known when there are no elements. Not known: NULL data with elements.
[[nodiscard]] bool has_known_extent(const TensorRecord& tensor);

struct SpaceRecord {
  DeviceId device;
  TextRef name;
};  // name: "host", "cuda:0"; Snapshot::spaces[id] describes SpaceId id
struct DeviceRecord {
  DeviceId device;
  TextRef name;
  std::uint64_t total_bytes = kUnknown64, free_bytes = kUnknown64;
};

// Which moment a snapshot shows (report: "scanned").
enum class Scanned : std::uint8_t { none, end, interrupt, earlier, request, stop, raise };
[[nodiscard]] const char* scanned_name(Scanned scanned);

// A moment inside the user's code that was asked for.
struct StopInfo {
  TextRef file, function, thread;
  std::uint32_t line = 0;  // 0: the snapshot shows no such moment
  std::uint32_t hit = 0;   // it was the n-th time there
};

struct SnapshotInfo {
  std::uint64_t revision = 0;  // rises with every snapshot of one host
  std::uint64_t run = 0;       // which run it belongs to; 0: before the first
  std::int64_t taken_ns = 0;   // CLOCK_MONOTONIC
  Scanned scanned = Scanned::none;
  // What the analysis of sharing left open, and why. Both are none when it came to its end.
  UnknownWhy missing_pairs = UnknownWhy::none;  // tensors may meet in memory though no pair is listed
  UnknownWhy open_groups = UnknownWhy::none;    // tensors of different groups may share bytes
  TextRef python_version, python_executable, python_prefix;
  StopInfo stop;
  // Functions of the user's ran whose locals nobody could look at any more: what was in them is gone.
  bool functions_returned = false;
  TextRef last_function = {};  // then: the one that the script's own lines call last, "main"; "": none that is known
};

}  // namespace dlscope::core
