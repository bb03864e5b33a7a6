// What each kind of long work is asked with: one struct for each. core/wire/work.h says what such work is, and what it answers.
// A header of its own, for the window's commands: their includers need no results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/address.h"
#include "core/compare/comparison.h"
#include "core/compare/difference_kind.h"
#include "core/inventory/record.h"
#include "core/reduce/cell_axes.h"
#include "core/search/value_search.h"
#include "core/tensor/axis_slice.h"

namespace dlscope::core::wire {

// Names a tensor by its id in the snapshot with this revision. Tasks may be of one of its fields; acts are of the whole tensor, and
// are refused otherwise.
struct TensorRef {
  std::uint64_t revision = 0;  // SnapshotInfo::revision
  std::uint32_t tensor = 0;    // index into Snapshot::tensors
  // Index into fields_of() (core/inventory/field_view.h); kNone16: the tensor itself. A number, because two fields may have one name.
  std::uint16_t field = kNone16;
  bool operator==(const TensorRef&) const = default;
};

// ---- tasks ----

// Reads the whole tensor once and counts the matches. Parts: one ValueFound, as soon as the first match at or after `from` is
// certain. Result: ValueMatches.
struct FindValue {
  TensorRef tensor;
  SearchedValue sought = SearchedValue::special;
  std::string text;  // with SearchedValue::equal: the value, as the library means it; at most kMaxValueTextBytes
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

}  // namespace dlscope::core::wire
