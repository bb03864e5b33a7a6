// Long work that the viewer has the host do. A task is pure core code on a worker thread of the host:
// it reads bytes, never takes the GIL, and continues while Python runs, hangs or has crashed. An act
// is code of ours on Python's main thread, between two statements of the user's. Both have an id, may
// report progress and partial results (WorkPart), and end exactly once (WorkEnded in messages.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/compare/comparison.h"
#include "core/inventory/proof.h"
#include "core/reduce/texels.h"
#include "core/search/value_search.h"
#include "core/statistics/statistics.h"
#include "core/wire/work_requests.h"

namespace dlscope::core::wire {

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

// Not inline: code on a variant costs each file that includes it.
[[nodiscard]] bool is_act(const Work& work);

// The same work, with the type that says where it runs.
[[nodiscard]] std::variant<TaskWork, ActWork> task_or_act(Work work);

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
  std::string read_only;            // what became of the source's flag: "kept: ...", "not kept: ...", ...
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
