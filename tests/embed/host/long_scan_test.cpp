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

// Names are described in their order before containers are walked: when `says` is asked, `first` is known and `many` comes
// next. In it nothing of the user's runs: only our own code can hear the Stop.
void stop_among(const TestPython& python, const char* objects) {
  HostProcess host(python);
  host.start_script(fmt::format(R"(
class Says:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **how):
        print('begun', flush=True)
        raise ValueError('no')
first = bytearray(8)
says = Says()
many = {}
many.append(bytearray(9))
)",
                                objects));
  REQUIRE(host.wait_for_output("begun"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // as a rule it is among the many by now
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
  for (const core::TensorRecord& tensor : found->tensors)
    CHECK_FALSE(found->name(tensor).starts_with("many"));  // the one at its end was not reached
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

}  // namespace

TEST_CASE("Stop is heard in the middle of a scan of millions of lists, and what was found before stays", "[host][long-scan]") {
  EACH_PYTHON(python);
  stop_among(python, "[[i] for i in range(3_000_000)]");
}

TEST_CASE("Stop is heard in the middle of a scan of millions of empty lists", "[host][long-scan]") {
  EACH_PYTHON(python);
  stop_among(python, "[[] for i in range(4_000_000)]");
}

TEST_CASE("Stop is heard in the middle of a scan of millions of tuples", "[host][long-scan]") {
  EACH_PYTHON(python);
  stop_among(python, "[(i, i + 1) for i in range(3_000_000)]");
}
