// Long work that the viewer has the host do. A task is pure core code on a worker thread of the host:
// it reads bytes, never takes the GIL, and continues while Python runs, hangs or has crashed. An act
// is code of ours on Python's main thread, between two statements of the user's. Both have an id, may
// report progress and partial results (WorkPart), and end exactly once (WorkEnded in messages.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/address.h"
#include "core/compare/comparison.h"
#include "core/compare/difference_kind.h"
#include "core/inventory/proof.h"
#include "core/reduce/cell_axes.h"
#include "core/reduce/texels.h"
#include "core/search/value_search.h"
#include "core/statistics/statistics.h"
#include "core/tensor/axis_slice.h"

namespace dlscope::core::wire {

// Names a tensor by its id in the snapshot with this revision.
struct TensorRef {
  std::uint64_t revision = 0;  // SnapshotInfo::revision
  std::uint32_t tensor = 0;    // index into Snapshot::tensors
  bool operator==(const TensorRef&) const = default;
};

// ---- tasks ----

// Reads the whole tensor once and counts the matches. Parts: one ValueFound, as soon as the first match at or after `from` is
// certain. Result: ValueMatches.
struct FindValue {
  TensorRef tensor;
  SearchedValue sought = SearchedValue::special;
  std::string text;        // with SearchedValue::equal: the value; at most kMaxValueTextBytes
  std::uint64_t from = 0;  // C-order index of an element
};
inline constexpr std::size_t kMaxValueTextBytes = 256;

// Statistics of every value of the tensor. Parts: the Statistics of a sample, if the tensor has more values than a sample.
// Result: the Statistics of all values.
struct ComputeStatistics {
  TensorRef tensor;
};

// Statistics, without histograms, of every readable tensor of the
// snapshot. Parts: Summaries, in which each tensor occurs once. No result.
struct SurveyTensors {
  std::uint64_t revision = 0;
};

// Reads both tensors once and compares them value by value. No parts. Result: a Comparison.
struct CompareTensors {
  TensorRef a, b;
  Tolerance tolerance;     // neither part negative or NaN
  bool broadcast = false;  // true: b is broadcast to the shape of a; false: unequal shapes are refused
};

// Renders a part of a tensor as a picture (core/reduce). Parts: Texels. Each texel comes once as a sample, unless exact texels
// are as fast; then each comes exactly, if that reads at most `most_exact` values. No result.
struct ReduceTensor {
  TensorRef tensor;
  CellAxes axes;
  CellWindow window;
  std::uint64_t most_exact = 0;
};

// Renders a part of a - b, for two tensors of equal shape, as a
// picture; no axis is reduced. Parts as for ReduceTensor; no result.
struct SubtractTensors {
  TensorRef a, b;
  CellAxes axes;
  CellWindow window;
  DifferenceKind kind = DifferenceKind::difference;
  std::uint64_t most_exact = 0;
};

// Reads pieces of a CUDA device's memory, after the work that the program has queued on its default stream so far. No parts.
// Result: DeviceBytes. An address is read only if the driver confirms that it belongs to this device.
struct ReadDevice {
  std::int32_t ordinal = 0;  // of the device
  std::uint32_t each = 0;  // bytes of a piece; all pieces together at most kMaxDeviceBytes
  std::vector<Address> addresses;
};
inline constexpr std::size_t kMaxDeviceBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxDevicePieces = 65'536;

// ---- acts ----

// Takes a lease on the tensor: an export of our own that keeps its
// memory alive. The lease's id is the id of this work. No result.
struct Hold {
  TensorRef tensor;
  // true: kept while user code runs, which may make calls such as bytearray.append
  // raise; false: released before user code runs and taken again afterwards.
  bool pinned = false;
};
// Gives a lease up. No result.
struct Release {
  std::uint64_t lease = 0;
};

// Finds out, for each step of a chain of hand-overs, whether the memory
// was shared or copied (core/inventory/proof.h). Result: a Proof.
struct Prove {
  std::uint64_t revision = 0;
  std::vector<std::uint32_t> tensors;  // ids in the snapshot with that revision; 2 to kMaxProved of them
  bool pairs = false;                  // true: steps 0 to 1, 2 to 3, ...; false: a chain, 0 to 1, 1 to 2, ...
  bool probe = false;                  // true: also use the write probe (core/inventory/write_probe.h) where writing is allowed
};
inline constexpr std::size_t kMaxProved = 1024;

enum class CopyPolicy : std::uint8_t { if_needed, always, never };
[[nodiscard]] const char* copy_policy_name(CopyPolicy policy);  // "if needed"

// Passes the tensor to another library's from_dlpack() and binds the result to a name in the script's namespace. Result: a
// HandedOver, also when the library refuses.
struct HandTo {
  TensorRef tensor;
  std::string library;  // "torch"
  std::string device;   // "": the tensor's own device
  CopyPolicy copy = CopyPolicy::if_needed;
  std::string name;  // to bind; "": derived from the tensor's name
  // "None" or a number: the capsule is requested with this stream, and the library gets the capsule; "": the library chooses.
  std::string stream = {};
  std::vector<AxisSlice> slice = {};  // at most kMaxRank: of this view of the tensor; empty: of all of it
};

// Copies the tensor into memory of its own and binds the copy to a name in the script's namespace. Result: a Copied.
struct CopyTensor {
  TensorRef tensor;
  bool keep_order = false;  // true: axes in the order of the source's strides; false: C order
  std::string dtype;        // "": the source's
  std::string library;      // the copy is passed to its from_dlpack(); "": it stays a dlscope.Tensor
  std::string name;         // to bind; "": derived from the tensor's name
  std::string device = {};  // of the copy: "cuda:0"; "": host memory
  std::vector<AxisSlice> slice = {};  // as in HandTo
};
inline constexpr std::size_t kMaxWorkTextBytes = 256;  // of each text above

// Replaces bytes of the tensor, at `address`, if they still equal `expected` and if the pages and the owner allow writing.
// `expected` and `bytes` have the same size, at most kMaxWrittenBytes. Result: a BytesWritten.
struct WriteBytes {
  TensorRef tensor;
  Address address = 0;
  std::vector<std::byte> expected, bytes;
};
inline constexpr std::size_t kMaxWrittenBytes = 4096;

// ---- the two lists ----

// Every kind of work is named in one of these lists, which says where it runs. A kind without its encoding (work_payload.cpp) or
// without its handler, HostTasks::make() for a task and carry_out() in embed/host/acts.h for an act, does not compile.
using TaskWork =
    std::variant<FindValue, CompareTensors, ComputeStatistics, SurveyTensors, ReduceTensor, SubtractTensors, ReadDevice>;
using ActWork = std::variant<Hold, Release, Prove, HandTo, CopyTensor, WriteBytes>;

template <class First, class Second>
struct Joined;
template <class... First, class... Second>
struct Joined<std::variant<First...>, std::variant<Second...>> {
  using Type = std::variant<First..., Second...>;
};
using Work = Joined<TaskWork, ActWork>::Type;

[[nodiscard]] constexpr bool is_act(const Work& work) { return work.index() >= std::variant_size_v<TaskWork>; }

// The same work, with the type that says where it runs.
[[nodiscard]] inline std::variant<TaskWork, ActWork> task_or_act(Work work) {
  return std::visit([](auto& kind) { return std::variant<TaskWork, ActWork>(std::move(kind)); }, work);
}

// ---- what comes back ----

enum class ProgressUnit : std::uint8_t { bytes, elements, tensors };
inline constexpr std::size_t kMaxPartTexels = 65'536;  // texels of one part: keeps its message well below kMaxMessageBytes
struct ValueFound {
  std::uint64_t element = 0;  // C-order index
};
struct Summaries {
  std::vector<StatisticsRecord> tensors;  // at most kMaxSummaries; method none: the values could not be read
};
inline constexpr std::size_t kMaxSummaries = 1024;
struct NoResult {};
struct DeviceBytes {
  std::vector<std::byte> bytes;        // the pieces, in the order of ReadDevice::addresses
  std::vector<std::uint8_t> complete;  // per piece: 1: read; 0: not read, its bytes are meaningless
  std::string problem;                 // why pieces could not be read
};

// One call that was made during a hand-over between two libraries, for display.
struct ExchangeCall {
  std::string what;    // "x.__dlpack__(max_version=(1, 0))"
  std::string answer;  // "versioned capsule 'dltensor_versioned'"
  bool failed = false;
};
inline constexpr std::size_t kMaxExchangeCalls = 64;

struct HandedOver {
  std::string verdict;              // "SHARED", "COPIED", "PARTLY SHARED", "REFUSED", "WRONG VALUES" or "UNKNOWN"
  ProofStep step;                   // from the source to the result; after a refusal only `why` is set
  std::vector<ExchangeCall> calls;  // in the order in which they were made
  std::string line;                 // the Python line that does the same; "": no Python expression leads to the tensor
  std::string name;                 // the result is bound to this name; "": there is no result
  std::string type;                 // of the result: "torch.Tensor"
  std::string error_type, error;    // after a refusal: the exception's type and message
  std::string read_only;            // whether the source's read-only flag was preserved: "kept", "lost", ...
  std::string owner;                // whose memory the result uses, and what keeps it alive
  std::string values;               // whether the result has the source's values
};

struct Copied {
  std::uint64_t bytes = 0, ns = 0;  // size of the copy; duration of the copying alone
  bool compared = false;            // true: every element was compared afterwards and is equal
  std::string name, type;
  std::string line;  // as in HandedOver
  std::uint64_t plain_ns = 0;        // what a plain copy of as many bytes on the same way takes here; 0: not measured
  std::string path = {};             // "host -> pinned ring -> cuda:0, packed by a kernel"
  std::string why_not_compared = {};
};

struct BytesWritten {
  std::vector<std::byte> now;  // read back after writing
};

using WorkPart = std::variant<ValueFound, Statistics, Summaries, Texels>;
using WorkResult =
    std::variant<NoResult, ValueMatches, Statistics, Comparison, Proof, HandedOver, Copied, DeviceBytes, BytesWritten>;

enum class WorkOutcome : std::uint8_t { done, failed, cancelled };

// ---- leases ----

enum class LeaseState : std::uint8_t {
  held,     // our export keeps the memory alive
  waiting,  // released while user code runs; taken again when it has ended
  gone,     // released for good, or the object no longer exists
};

}  // namespace dlscope::core::wire
