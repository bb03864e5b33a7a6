// Acts between lines of console code: each line is followed by a scan, and an act names the tensors of the newest one.
#pragma once

#include <algorithm>
#include <string>

#include "tests/embed/host/work_steps.h"

namespace dlscope::tests {

// Runs the line; the snapshot of the scan after it.
inline core::SnapshotPtr snapshot_after_line(HostProcess& host, const std::string& line) {
  REQUIRE(console(host, line));
  const auto ready = std::ranges::find_if(host.messages.rbegin(), host.messages.rend(), [](const core::wire::ToViewer& message) {
    return std::holds_alternative<core::wire::SnapshotReady>(message);
  });
  REQUIRE(ready != host.messages.rend());
  const auto bytes = host.region().take_snapshot(std::get<core::wire::SnapshotReady>(*ready).sequence);
  REQUIRE(bytes);
  return core::wire::decode_snapshot(*bytes).value();
}

}  // namespace dlscope::tests
