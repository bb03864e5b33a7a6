// Work that the viewer asks the host for and that takes its time. A task is pure core code on the host's workers: it reads bytes,
// never takes the GIL, and goes on while Python runs, hangs or is dead. An act is our own code on Python's main thread, between two
// statements of the user's. Both have an id, may report progress and parts, and end exactly once (messages.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/compare/comparison.h"
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
  SoughtValue sought = SoughtValue::special;
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

// ---- acts ----

// Takes a lease on the tensor: an export of our own that keeps its memory alive. The lease's id is the id of this work.
struct Hold {
  TensorRef tensor;
  bool pinned = false;  // true: it stays while user code runs, which that code may notice; false: given up before, taken again after
};
struct Release {
  std::uint64_t lease = 0;
};

using Work = std::variant<FindValue, CompareTensors, Hold, Release, ComputeStatistics, SurveyTensors>;

// True for work that needs Python's main thread.
[[nodiscard]] constexpr bool is_act(const Work& work) {
  return std::holds_alternative<Hold>(work) || std::holds_alternative<Release>(work);
}

// ---- what comes back ----

enum class ProgressUnit : std::uint8_t { bytes, elements, tensors };
struct ValueFound {
  std::uint64_t element = 0;  // C-order number
};
struct Summaries {
  std::vector<StatisticsRecord> tensors;  // at most kMostSummaries; method none: its values could not be read
};
inline constexpr std::size_t kMostSummaries = 1024;
struct NoResult {};
using WorkPart = std::variant<ValueFound, Statistics, Summaries>;
using WorkResult = std::variant<NoResult, ValueMatches, Statistics, Comparison>;

enum class WorkOutcome : std::uint8_t { done, failed, cancelled };

// ---- leases ----

enum class LeaseState : std::uint8_t {
  held,     // our export keeps the memory alive
  waiting,  // given up because user code runs; taken again when it has ended
  gone,     // released, or the object is no longer there
};

}  // namespace dlscope::core::wire
