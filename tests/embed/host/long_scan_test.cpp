// Stop in the middle of a scan of a list of millions, on each Python: heard, what was found before is kept, and it is said to be
// incomplete. How long it took is printed, because it depends on the machine; docs/testing.md says how to see it.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;

namespace {

using Clock = std::chrono::steady_clock;

core::SnapshotPtr snapshot_of(HostProcess& host, const core::wire::SnapshotReady& ready) {
  const auto bytes = host.region().take_snapshot(ready.sequence);
  REQUIRE(bytes);
  auto snapshot = core::wire::decode_snapshot(*bytes);
  REQUIRE(snapshot);
  return *snapshot;
}

bool scans(HostProcess& host) {
  return host.region().header().phase.load() == static_cast<std::uint32_t>(core::wire::HostPhase::scanning);
}

}  // namespace

TEST_CASE("Stop is heard in the middle of a scan of millions of objects, and what was found before stays", "[host][long-scan]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  // Nothing of the user's runs in the scan: only our own code can hear it.
  const char* objects = "";
  SECTION("a list of lists") { objects = "[[i] for i in range(3_000_000)]"; }
  SECTION("a list of empty lists") { objects = "[[] for i in range(4_000_000)]"; }
  SECTION("a list of tuples") { objects = "[(i, i + 1) for i in range(3_000_000)]"; }
  host.start_script("first = bytearray(8)\nmany = " + std::string(objects) + "\nmany.append(bytearray(9))\n");
  REQUIRE(host.wait_for<core::wire::RunFinished>());
  while (!scans(host)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it is among the many by now, or a little before them
  const auto asked = Clock::now();
  host.stop();
  const auto ready = host.wait_for<core::wire::SnapshotReady>();
  const auto ended = host.wait_for<core::wire::ScanFinished>();
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - asked).count();
  REQUIRE(ready);
  REQUIRE(ended);
  std::puts(fmt::format("Python {}: a scan of {} had ended {:.1f} ms after Stop", python.version, objects, ms).c_str());
  CHECK(ended->result == core::wire::ScanResult::stopped);
  CHECK(ready->scanned == core::Scanned::interrupt);
  const core::SnapshotPtr found = snapshot_of(host, *ready);
  CHECK(found->find("first") != nullptr);
  CHECK(found->tensors.size() == 1);  // the one at the end of the list was not reached
  CHECK(found->info.scanned == core::Scanned::interrupt);
  bool told = false;
  for (const core::wire::ToViewer& message : host.messages) {
    const auto* const notice = std::get_if<core::wire::Notice>(&message);
    told = told || (notice != nullptr && notice->text == "The scan was interrupted: what it had not reached is missing.");
  }
  CHECK(told);
  // The host goes on.
  const auto outcome = host.run_script("print('still here')\n");
  REQUIRE(outcome);
  CHECK(outcome->outcome == core::Outcome::finished);
}
