// The JSON report (design.md section 3), streamed from a snapshot: no tree of it is ever built.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/inventory/proof.h"
#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"
#include "core/report/json_writer.h"

namespace dlscope::core {

inline constexpr const char* kDlpackVersion = "1.3";  // of the header this build was made with (a test compares them)

struct PythonFacts {
  std::string version, executable, prefix;
};

// What the write probe said of the pair of these two tensors.
struct PairProbe {
  std::uint32_t a = 0, b = 0;
  Probe probe = Probe::not_armed;
};

struct ReportInput {
  const Snapshot* snapshot = nullptr;  // null: nothing was scanned; the lists are empty
  RunOutcome run;
  Scanned scanned = Scanned::none;
  const Proof* proof = nullptr;             // of the chain that was asked for; null: none was
  std::vector<PairProbe> probes = {};       // of pairs of the snapshot, sorted by (a, b)
  std::optional<PythonFacts> python;  // when there is no snapshot to tell: the host died before its first scan
};

// The whole report; newline at the end.
bool write_report(const ReportInput& input, const JsonSink& sink);
// One TENSOR / PAIR / GROUP object, the same text as inside the report. The record is one of the snapshot's own.
bool write_tensor(const Snapshot& snapshot, const TensorRecord& tensor, const JsonSink& sink);
bool write_pair(const Snapshot& snapshot, const PairRecord& pair, const JsonSink& sink);
bool write_group(const Snapshot& snapshot, const GroupRecord& group, const JsonSink& sink);

// "0x7f00..." as the report writes addresses.
[[nodiscard]] std::string hex(Address address);

}  // namespace dlscope::core
