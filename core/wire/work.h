// Work that the viewer asks the host for and that takes its time. A task is pure core code on the host's workers: it reads bytes,
// never takes the GIL, and goes on while Python runs, hangs or is dead. An act is our own code on Python's main thread, between two
// statements of the user's. Both have an id, may report progress and parts, and end exactly once (messages.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

namespace dlscope::core::wire {

// A tensor as the viewer knows it: its id in the snapshot with this revision (SnapshotInfo::revision).
struct TensorRef {
  std::uint64_t revision = 0;
  std::uint32_t tensor = 0;
  bool operator==(const TensorRef&) const = default;
};

// ---- tasks ----

// Reads the whole tensor once and counts. Parts: a ValueFound as soon as the first match at or behind `from` is certain. The end
// carries ValueMatches.
struct FindValue {
  TensorRef tensor;
  SearchedValue sought = SearchedValue::special;
  std::string text;        // with SoughtValue::equal; at most kMaxValueTextBytes
  std::uint64_t from = 0;  // C-order number of an element
};
inline constexpr std::size_t kMaxValueTextBytes = 256;

// Every value of the tensor. Parts: the Statistics of a sample first, where there are more values than a sample has. The end carries
// those of all values.
struct ComputeStatistics {
  TensorRef tensor;
};

// Every value of every tensor of the snapshot whose values can be read, without histograms. Parts: Summaries, of each of them once.
struct SurveyTensors {
  std::uint64_t revision = 0;
};

// Reads both tensors once and compares value by value. No parts; the end carries a Comparison.
struct CompareTensors {
  TensorRef a, b;
  Tolerance tolerance;     // neither negative nor NaN
  bool broadcast = false;  // B is repeated to the shape of A; else unequal shapes are refused
};

// The picture of a part of a tensor. Parts: Texels, of every texel once as a sample, unless the exact ones come as fast, then of every
// texel exactly where that reads at most `most_exact` values. The end carries nothing.
struct ReduceTensor {
  TensorRef tensor;
  CellAxes axes;
  CellWindow window;
  std::uint64_t most_exact = 0;
};

// The picture of a part of A - B, two tensors of one shape; no axis is reduced. Parts and end as of ReduceTensor.
struct SubtractTensors {
  TensorRef a, b;
  CellAxes axes;
  CellWindow window;
  DifferenceKind kind = DifferenceKind::difference;
  std::uint64_t most_exact = 0;
};

// Pieces of a CUDA device's memory, as they are when what the program has put on its default stream is done. No parts; the end carries
// DeviceBytes. Nothing is read of an address that the driver does not say to be this device's.
struct ReadDevice {
  std::int32_t ordinal = 0;
  std::uint32_t each = 0;  // bytes of a piece; all of them at most kMostDeviceBytes
  std::vector<Address> addresses;
};
inline constexpr std::size_t kMostDeviceBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDevicePieces = 65'536;

// ---- acts ----

// Takes a lease on the tensor: an export of our own that keeps its memory alive. The lease's id is the id of this work.
struct Hold {
  TensorRef tensor;
  bool pinned =
      false;  // true: it stays while user code runs, which that code may notice; false: given up before, taken again after
};
struct Release {
  std::uint64_t lease = 0;
};

// What became of the memory from one tensor to the next (core/inventory/proof.h). The end carries a Proof.
struct Prove {
  std::uint64_t revision = 0;
  std::vector<std::uint32_t> tensors;  // of the snapshot with that revision; two at least, at most kMostProved
  bool pairs = false;                  // true: the first with the second, the third with the fourth, ...; false: a chain
  bool probe = false;                  // a byte is changed and put back where it may be
};
inline constexpr std::size_t kMostProved = 1024;

enum class CopyPolicy : std::uint8_t { if_needed, always, never };
[[nodiscard]] const char* copy_policy_name(CopyPolicy policy);  // "if needed"

// Hands the tensor to another library's from_dlpack and binds what comes out to a name of the script's. The end carries a HandedOver,
// also where the library refused.
struct HandTo {
  TensorRef tensor;
  std::string library;  // "torch"
  std::string device;   // "": where it lies
  CopyPolicy copy = CopyPolicy::if_needed;
  std::string name;  // "": one is made from the tensor's
};

// Copies the tensor, which nothing else shares then, and binds the copy to a name. The end carries a Copied.
struct CopyTensor {
  TensorRef tensor;
  bool keep_order = false;  // true: the axes in the order of the source's strides; false: C order
  std::string dtype;        // "": the same
  std::string library;      // the copy is handed to it; "": it stays a dlscope.Tensor
  std::string name;         // "": one is made from the tensor's
};
inline constexpr std::size_t kMaxWorkTextBytes = 256;  // of each text above

// Changes bytes of the tensor, which lie at `address`: only where they still are the `expected` ones, and only where memory and owner allow it.
// Both have the same size, at most kMostWrittenBytes. The end carries a BytesWritten.
struct WriteBytes {
  TensorRef tensor;
  Address address = 0;
  std::vector<std::byte> expected, bytes;
};
inline constexpr std::size_t kMostWrittenBytes = 4096;

using Work = std::variant<FindValue, CompareTensors, Hold, Release, ComputeStatistics, SurveyTensors, Prove, HandTo, CopyTensor,
                          ReduceTensor, ReadDevice, WriteBytes, SubtractTensors>;

// True for work that needs Python's main thread.
[[nodiscard]] constexpr bool is_act(const Work& work) {
  return !std::holds_alternative<FindValue>(work) && !std::holds_alternative<CompareTensors>(work) &&
         !std::holds_alternative<ComputeStatistics>(work) && !std::holds_alternative<SurveyTensors>(work) &&
         !std::holds_alternative<ReduceTensor>(work) && !std::holds_alternative<ReadDevice>(work) &&
         !std::holds_alternative<SubtractTensors>(work);
}

// ---- what comes back ----

enum class ProgressUnit : std::uint8_t { bytes, elements, tensors };
inline constexpr std::size_t kMostPartTexels = 65'536;  // of one Texels: its message is well below kMaxMessageBytes
struct ValueFound {
  std::uint64_t element = 0;  // C-order number
};
struct Summaries {
  std::vector<StatisticsRecord> tensors;  // at most kMostSummaries; method none: its values could not be read
};
inline constexpr std::size_t kMostSummaries = 1024;
struct NoResult {};
struct DeviceBytes {
  std::vector<std::byte> bytes;        // one piece after the other
  std::vector<std::uint8_t> complete;  // of each piece: 1, or 0 and its bytes mean nothing
  std::string problem;                 // why pieces are missing
};

// One call between two libraries, as it was made.
struct ExchangeCall {
  std::string what;    // "x.__dlpack__(max_version=(1, 0))"
  std::string answer;  // "capsule 'dltensor_versioned'"
  bool failed = false;
};
inline constexpr std::size_t kMostExchangeCalls = 64;

struct HandedOver {
  std::string verdict;              // design.md, section 5
  ProofStep step;                   // from the source to what came out; of a refusal: empty but for `why`
  std::vector<ExchangeCall> calls;  // in their order
  std::string line;                 // the Python line that does the same
  std::string name;                 // what the result is bound to; "": nothing came out
  std::string type;                 // of the result: "torch.Tensor"
  std::string error_type, error;    // of a refusal: the library's own words
  std::string read_only;            // what became of the source's read-only state: "kept", "lost", ...
  std::string owner;                // whose memory the result stands on, and what keeps it alive
  std::string values;               // of a copy: whether the values are the source's
};

struct Copied {
  std::uint64_t bytes = 0, ns = 0;  // of the copy; the time of copying alone
  bool compared = false;            // every element was compared afterwards, and is equal
  std::string name, type, line;
};

struct BytesWritten {
  std::vector<std::byte> now;  // as they were read back
};

using WorkPart = std::variant<ValueFound, Statistics, Summaries, Texels>;
using WorkResult =
    std::variant<NoResult, ValueMatches, Statistics, Comparison, Proof, HandedOver, Copied, DeviceBytes, BytesWritten>;

enum class WorkOutcome : std::uint8_t { done, failed, cancelled };

// ---- leases ----

enum class LeaseState : std::uint8_t {
  held,     // our export keeps the memory alive
  waiting,  // given up because user code runs; taken again when it has ended
  gone,     // released, or the object is no longer there
};

}  // namespace dlscope::core::wire
