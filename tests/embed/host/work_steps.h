// What the tests of tasks and acts do with a host: look, ask for work, wait for its end.
#pragma once

#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/host_process.h"

namespace dlscope::tests {

inline core::SnapshotPtr next_snapshot(HostProcess& host) {
  const auto ready = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(ready);
  const auto bytes = host.region().take_snapshot(ready->sequence);
  REQUIRE(bytes);
  return core::wire::decode_snapshot(*bytes).value();
}

inline core::wire::TensorRef ref_to(const core::SnapshotPtr& snapshot, const char* name) {
  const core::TensorRecord* const tensor = snapshot->find(name);
  REQUIRE(tensor != nullptr);
  return {snapshot->info.revision, static_cast<std::uint32_t>(tensor - snapshot->tensors.data())};
}

inline core::SnapshotPtr look_after(HostProcess& host, const std::string& script) {
  REQUIRE(host.run_script(script));
  core::SnapshotPtr snapshot = next_snapshot(host);
  REQUIRE(host.wait_for<core::wire::ScanFinished>());
  return snapshot;
}

inline core::wire::WorkEnded end_of(HostProcess& host, std::uint64_t id) {
  for (;;) {
    const auto end = host.wait_for<core::wire::WorkEnded>();
    REQUIRE(end);
    if (end->id == id) return *end;
  }
}

inline core::wire::WorkEnded carry_out(HostProcess& host, core::wire::Work work) {
  static std::uint64_t id = 1000;
  host.send(core::wire::Start{++id, std::move(work)});
  return end_of(host, id);
}

// The hand-over of a tensor to a library's own device, copied only where it must be; the result is bound to `name`.
inline core::wire::HandTo hand_to(const core::SnapshotPtr& snapshot, const char* tensor, const char* library, std::string name = {}) {
  return {.tensor = ref_to(snapshot, tensor),
          .library = library,
          .device = {},
          .copy = core::wire::CopyPolicy::if_needed,
          .name = std::move(name)};
}

inline std::optional<core::RunOutcome> console(HostProcess& host, const std::string& line) {
  core::wire::Run run;
  run.source = line;
  run.fresh_namespace = false;
  run.echo = true;
  const auto outcome = host.run(run);
  REQUIRE(host.wait_for<core::wire::ScanFinished>());
  return outcome;
}

}  // namespace dlscope::tests
