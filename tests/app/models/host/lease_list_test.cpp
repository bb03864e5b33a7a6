#include "app/models/host/lease_list.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {
namespace {

using core::wire::LeaseState;

TEST_CASE("a tensor is held from when the host says so until it says otherwise", "[app]") {
  LeaseList leases;
  CHECK(leases.held_in(4).empty());
  leases.take({1, LeaseState::held, false, {4, 2}, {}}, nullptr);
  leases.take({2, LeaseState::held, true, {4, 7}, {}}, nullptr);
  CHECK(leases.held_in(4) == HeldTensors({2, 7}));
  CHECK(leases.held_in(5).empty());  // of another look
  CHECK(leases.lease_of({4, 2}) == 1);
  CHECK_FALSE(leases.lease_of({5, 2}));

  leases.take({1, LeaseState::waiting, false, {4, 2}, {}}, nullptr);  // code runs
  CHECK(leases.held_in(4) == HeldTensors({7}));
  CHECK(leases.lease_of({4, 2}) == 1);  // it can still be released

  leases.take({1, LeaseState::held, false, {5, 3}, {}}, nullptr);  // a new look found it again
  CHECK(leases.held_in(5) == HeldTensors({3}));
  CHECK_FALSE(leases.lease_of({4, 2}));

  leases.take({2, LeaseState::gone, true, {4, 7}, "b is another tensor by now"}, nullptr);
  leases.take({9, LeaseState::gone, true, {4, 1}, {}}, nullptr);  // one that was never told of
  CHECK(leases.size() == 1);
  leases.clear();
  CHECK(leases.held_in(5).empty());
}

TEST_CASE("a host cannot report leases without end", "[app]") {
  LeaseList leases;
  for (std::uint64_t id = 1; id <= LeaseList::kMax + 10; ++id) leases.take({id, LeaseState::held, false, {1, 0}, "why"}, nullptr);
  CHECK(leases.size() == LeaseList::kMax);
  CHECK(leases.has(1));
  leases.take({1, LeaseState::gone, false, {1, 0}, {}}, nullptr);
  CHECK(leases.size() == LeaseList::kMax - 1);
}

// Tensors of revision 4 at these places of the host's memory.
core::Snapshot snapshot_of(std::initializer_list<std::pair<core::ByteRange, std::uint64_t>> places) {
  core::Snapshot snapshot;
  snapshot.info.revision = 4;
  for (const auto& [extent, distinct_bytes] : places) {
    core::TensorRecord tensor;
    tensor.has_layout = true;
    tensor.space = core::kHostSpace;
    tensor.extent = extent;
    tensor.distinct_bytes = distinct_bytes;
    snapshot.tensors.push_back(tensor);
  }
  return snapshot;
}

TEST_CASE("the total of what is held counts each byte once, and says when it is only a bound", "[app]") {
  const core::Snapshot snapshot =
      snapshot_of({{{0, 4000}, 4000}, {{1000, 5000}, 4000}, {{9000, 9800}, 400}, {{9004, 9804}, 400}});
  LeaseList leases;
  CHECK(held_total_text(leases.total()).empty());
  leases.take({1, LeaseState::held, false, {4, 0}, {}}, &snapshot);
  leases.take({2, LeaseState::held, false, {4, 1}, {}}, &snapshot);
  CHECK(leases.total() == HeldTotal{.tensors = 2, .bytes = 5000});
  leases.take({3, LeaseState::held, false, {4, 2}, {}}, &snapshot);  // alone there: its distinct bytes are counted
  CHECK(leases.total() == HeldTotal{.tensors = 3, .bytes = 5400});
  CHECK(held_total_text(leases.total()) == "dlscope holds 5.3 KiB");
  leases.take({4, LeaseState::held, false, {4, 3}, {}}, &snapshot);
  CHECK(leases.total() == HeldTotal{.tensors = 4, .bytes = 5804, .exact = false});
  CHECK(held_total_text(leases.total()) == "dlscope holds up to 5.7 KiB");
  leases.take({4, LeaseState::waiting, false, {4, 3}, {}}, &snapshot);  // code runs: it is not held now
  CHECK(leases.total() == HeldTotal{.tensors = 3, .bytes = 5400});
  leases.take({3, LeaseState::gone, false, {4, 2}, {}}, &snapshot);
  CHECK(leases.total() == HeldTotal{.tensors = 2, .bytes = 5000});
  leases.clear();
  CHECK(leases.total() == HeldTotal{});
}

TEST_CASE("bytes that were not counted are a bound, also of a tensor that lies alone", "[app]") {
  const core::Snapshot snapshot = snapshot_of({{{0, 4096}, core::kUnknown64}, {{2048, 6144}, core::kUnknown64}});
  LeaseList leases;
  leases.take({1, LeaseState::held, false, {4, 0}, {}}, &snapshot);
  CHECK(leases.total() == HeldTotal{.tensors = 1, .bytes = 4096, .exact = false});
  CHECK(held_total_text(leases.total()) == "dlscope holds up to 4.0 KiB");
  leases.take({2, LeaseState::held, false, {4, 1}, {}}, &snapshot);
  CHECK(leases.total() == HeldTotal{.tensors = 2, .bytes = 6144, .exact = false});
}

TEST_CASE("a device is the same in two snapshots that number their memories otherwise", "[app]") {
  constexpr core::DeviceId kCuda{2, 0};
  core::Snapshot first = snapshot_of({{{0, 4096}, 4096}}), second = snapshot_of({{{0, 4096}, 4096}, {{0, 4096}, 4096}});
  first.spaces = {{core::kCpuDevice, {}}, {kCuda, {}}};
  first.tensors[0].space = 1;
  second.info.revision = 5;
  second.spaces = {{core::kCpuDevice, {}}, {{10, 0}, {}}, {kCuda, {}}};
  second.tensors[0].space = 2;
  LeaseList leases;
  leases.take({1, LeaseState::held, false, {4, 0}, {}}, &first);
  leases.take({2, LeaseState::held, false, {5, 0}, {}}, &second);
  CHECK(leases.total() == HeldTotal{.tensors = 2, .bytes = 4096});
  leases.take({3, LeaseState::held, false, {5, 1}, {}}, &second);  // the same numbers in the host's memory
  CHECK(leases.total() == HeldTotal{.tensors = 3, .bytes = 8192});
}

TEST_CASE("where a held tensor lies is known from the newest snapshot that has it", "[app]") {
  const core::Snapshot snapshot = snapshot_of({{{0, 4096}, 4096}});
  LeaseList leases;
  leases.take({1, LeaseState::held, true, {4, 0}, {}}, &snapshot);
  leases.take({1, LeaseState::held, true, {3, 0}, {}}, &snapshot);  // about an older snapshot: what was known stays
  CHECK(leases.total() == HeldTotal{.tensors = 1, .bytes = 4096});
  leases.take({2, LeaseState::held, true, {4, 7}, {}}, &snapshot);  // there is no such tensor
  CHECK(held_total_text(leases.total()) == "dlscope holds at least 4.0 KiB");
  leases.take({1, LeaseState::gone, true, {4, 0}, {}}, &snapshot);
  CHECK(held_total_text(leases.total()) == "dlscope holds 1 tensor");
}

}  // namespace
TEST_CASE("what is held and has no name in the newest snapshot is listed with its last name", "[app]") {
  core::Snapshot first = snapshot_of({{{0, 4096}, 4096}, {{8192, 8200}, 8}});
  first.tensors[0].held = first.tensors[1].held = true;
  LeaseList leases;
  leases.follow(first);
  leases.take({1, LeaseState::held, true, {4, 0}, {}}, &first);
  leases.take({2, LeaseState::held, true, {4, 1}, {}}, &first);
  CHECK(leases.nameless().empty());

  core::Snapshot second = snapshot_of({{{8192, 8200}, 8}});
  second.info.revision = 5;
  second.tensors[0].held = true;
  leases.follow(second);
  CHECK(leases.nameless().empty());  // the host has not yet said which of the two is the one it found
  leases.take({2, LeaseState::held, true, {5, 0}, {}}, &second);
  REQUIRE(leases.nameless().size() == 1);
  CHECK((leases.nameless()[0].lease == 1 && leases.nameless()[0].bytes == 4096));
  leases.take({3, LeaseState::held, true, {4, 1}, {}}, &second);  // taken on what an older look showed: no scan has missed it
  CHECK(leases.nameless().size() == 1);

  SECTION("a name leads to it again") { leases.take({1, LeaseState::held, true, {5, 0}, {}}, &second); }
  SECTION("it is released") { leases.take({1, LeaseState::gone, true, {4, 0}, {}}, &second); }
  SECTION("the host is gone") { leases.clear(); }
  CHECK(leases.nameless().empty());
}

}  // namespace dlscope::app
