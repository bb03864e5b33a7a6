// A scan whose sharing takes long: what was found is published first, and the final snapshot of the same scan replaces it.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/wire/snapshot_codec.h"
#include "tests/embed/host/each_python.h"
#include "tests/embed/host/host_process.h"

using namespace dlscope;
using namespace dlscope::tests;
using core::UnknownWhy;

namespace {

// Views of pages that nobody wrote to, with three strides each that no closed form decides: any two take some hundred
// milliseconds to compare.
std::string hard_scene(int views) {
  return fmt::format(R"(
import ctypes, mmap
pages = mmap.mmap(-1, 3 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
base = ctypes.addressof(ctypes.c_char.from_buffer(pages))
class View:
    def __init__(self, i):
        strides = 4 * (2001407 + 6 * i), 4 * (10007 + 2 * i), 4 * (3 + i % 3)
        self.described = dict(version=3, typestr='<f4', shape=(300, 200, 2000), strides=strides, data=(base + 4 * i, False))
    @property
    def __array_interface__(self): return self.described
views = [View(i) for i in range({})]
)",
                     views);
}

core::SnapshotPtr decoded(HostProcess& host, const core::wire::SnapshotReady& ready) {
  const auto bytes = host.region().take_snapshot(ready.sequence);
  REQUIRE(bytes);
  auto snapshot = core::wire::decode_snapshot(*bytes);
  REQUIRE(snapshot);
  return *snapshot;
}

std::size_t named(const core::Snapshot& snapshot, const std::string& prefix) {
  return static_cast<std::size_t>(
      std::ranges::count_if(snapshot.tensors, [&](const auto& tensor) { return snapshot.name(tensor).starts_with(prefix); }));
}

}  // namespace

TEST_CASE("tensors whose sharing takes long are published before it is known, and then once more with it", "[host][unfinished]") {
  if (test_pythons().empty()) SKIP("no CPython from 3.9 on was found: set DLSCOPE_TEST_PYTHONS");
  HostProcess host(test_pythons().front());  // one is enough: it takes seconds, and none of them are Python's
  host.start_script(hard_scene(5));
  const auto first = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(first);
  const core::SnapshotPtr found = decoded(host, *first);
  CHECK(found->info.missing_pairs == UnknownWhy::not_yet);
  CHECK(found->info.open_groups == UnknownWhy::not_yet);
  CHECK(found->sharing_not_yet());
  CHECK(found->pairs.empty());
  CHECK(found->groups.empty());
  CHECK(named(*found, "views[") == 5);
  const auto second = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(second);
  const core::SnapshotPtr whole = decoded(host, *second);
  CHECK(second->scanned == first->scanned);
  CHECK(second->run == first->run);
  CHECK(whole->info.revision == found->info.revision);  // the same tensors, by the same numbers
  CHECK(whole->info.missing_pairs == UnknownWhy::none);
  REQUIRE(whole->tensors.size() == found->tensors.size());
  for (std::size_t i = 0; i < whole->tensors.size(); ++i) {
    CHECK(whole->name(whole->tensors[i]) == found->name(found->tensors[i]));
    CHECK(whole->tensors[i].address == found->tensors[i].address);
    CHECK(whole->tensors[i].distinct_bytes == found->tensors[i].distinct_bytes);
  }
  CHECK(whole->pairs.size() == 15);  // with the pages, too
  const auto ended = host.wait_for<core::wire::ScanFinished>();
  REQUIRE(ended);
  CHECK(ended->result == core::wire::ScanResult::complete);
}

TEST_CASE("Stop between the two says that the analysis was stopped, and a scan without hard pairs is published once",
          "[host][unfinished]") {
  EACH_PYTHON(python);
  HostProcess host(python);
  host.start_script(hard_scene(20));
  const auto first = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(first);
  REQUIRE(decoded(host, *first)->sharing_not_yet());
  host.stop();
  const auto second = host.wait_for<core::wire::SnapshotReady>();
  REQUIRE(second);
  const core::SnapshotPtr stopped = decoded(host, *second);
  CHECK(named(*stopped, "views[") == 20);
  CHECK((stopped->info.missing_pairs == UnknownWhy::stopped || stopped->info.open_groups == UnknownWhy::stopped ||
         std::ranges::any_of(stopped->pairs, [](const auto& pair) { return pair.why == UnknownWhy::stopped; })));
  CHECK_FALSE(stopped->sharing_not_yet());
  const auto ended = host.wait_for<core::wire::ScanFinished>();
  REQUIRE(ended);
  CHECK(ended->result == core::wire::ScanResult::stopped);

  host.messages.clear();
  REQUIRE(host.run_script("x = bytearray(64)\ny = memoryview(x)[16:]\n"));
  REQUIRE(host.wait_for<core::wire::ScanFinished>());
  CHECK(std::ranges::count_if(host.messages, [](const auto& message) {
          return std::holds_alternative<core::wire::SnapshotReady>(message);
        }) == 1);
}
