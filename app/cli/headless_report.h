// The report of a headless run: from what the run found to the file.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/supervised_run.h"
#include "app/files/output_file.h"
#include "core/report/report.h"
#include "core/wire/debugging.h"

namespace dlscope::app {

// What a report is made of. Owns all of it, because the thread that writes may stand in the kernel for ever.
struct ReportParts {
  core::SnapshotPtr snapshot;
  core::RunOutcome run;
  core::Scanned scanned = core::Scanned::none;
  std::optional<core::PythonFacts> python;
  std::optional<core::Proof> proof;  // of the chain that was named
  std::vector<core::PairProbe> probes;
};

// Writes it. stalls: the file is given up when it takes nothing for that long (a FIFO that nobody reads, a disk that does not
// answer); nullopt: never. Fails with a text that begins with the path.
[[nodiscard]] core::Result<void> write_report(OutputFile file, const std::string& path, ReportParts parts,
                                              std::optional<std::chrono::milliseconds> stalls);

// Adds to the host's snapshot what only the viewer knows.
[[nodiscard]] core::SnapshotPtr with_events(core::SnapshotPtr found, const std::vector<std::string>& texts,
                                            const std::optional<core::PythonFacts>& python);

// Where the script stood when the snapshot was taken (--at), for a picture of that moment: the innermost frame, which is all that a
// snapshot knows of the stack. asked: the moment as --at has it; script: the file name in the script's code objects. nullopt: the
// snapshot was not taken at a stop.
[[nodiscard]] std::optional<core::wire::Stopped> stop_of(const core::Snapshot& snapshot, std::string_view asked,
                                                          std::string_view script);

// The steps of a proof as the report has them with its pairs.
[[nodiscard]] std::vector<core::PairProbe> probes_of(const core::Proof& proof, const std::vector<core::ProofPair>& pairs);

}  // namespace dlscope::app
