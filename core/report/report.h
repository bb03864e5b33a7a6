// The JSON report (design.md section 3), streamed from a snapshot: no tree of it is ever built.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/inventory/run_outcome.h"
#include "core/inventory/snapshot.h"

namespace dlscope::core {

// Receives the text in pieces. Returns false to stop (disk full); the writers then return false as well.
using JsonSink = std::function<bool(std::string_view)>;

struct ReportInput {
  const Snapshot* snapshot = nullptr;  // null: nothing was scanned; the lists are empty
  RunOutcome run;
  Scanned scanned = Scanned::none;
};

// The whole report; newline at the end.
bool write_report(const ReportInput& input, const JsonSink& sink);
// One TENSOR / PAIR / GROUP object, the same text as inside the report.
bool write_tensor(const Snapshot& snapshot, const TensorRecord& tensor, const JsonSink& sink);
bool write_pair(const Snapshot& snapshot, const PairRecord& pair, const JsonSink& sink);

// "0x7f00..." as the report writes addresses.
[[nodiscard]] std::string hex(Address address);

}  // namespace dlscope::core
