// The JSON report (docs/report.md), streamed from a snapshot without building a tree. thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/inventory/proof.h"
#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"
#include "core/report/json_writer.h"

namespace dlscope::core {

inline constexpr const char* kDlpackVersion = "1.3";  // of the dlpack.h that this build uses (a test compares them)

struct PythonFacts {
  std::string version, executable, prefix;
};

// The write probe's result for a pair of tensors, a < b.
struct PairProbe {
  std::uint32_t a = 0, b = 0;
  Probe probe = Probe::not_armed;
};

struct ReportInput {
  const Snapshot* snapshot = nullptr;  // null: nothing was scanned; the lists are empty
  RunOutcome run;
  Scanned scanned = Scanned::none;
  const Proof* proof = nullptr;             // of the requested chain; null: none was requested
  std::vector<PairProbe> probes = {};       // for pairs of the snapshot, sorted by (a, b)
  std::vector<std::string> later = {};  // what has happened since the snapshot, in words; written as events of kind `script`
  std::optional<std::vector<std::uint32_t>> held = {};  // the tensors that are held now, sorted; nullopt: those held at the scan
  std::optional<PythonFacts> python;  // for a report without a snapshot (the host died before its first scan)
};

// The whole report, with a newline at the end. All three functions return false if the sink did.
bool write_report(const ReportInput& input, const JsonSink& sink);
// One TENSOR / PAIR object, with the same text as in the report. The record must be an element of the snapshot's pool.
bool write_tensor(const Snapshot& snapshot, const TensorRecord& tensor, const JsonSink& sink);
bool write_pair(const Snapshot& snapshot, const PairRecord& pair, const JsonSink& sink);

// "0x7f00..." as the report writes addresses.
[[nodiscard]] std::string hex(Address address);

}  // namespace dlscope::core
