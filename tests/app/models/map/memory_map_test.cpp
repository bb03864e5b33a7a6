#include "app/models/tensors/memory_map.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <set>

#include "tests/support/sample_snapshot.h"

namespace dlscope::app {

TEST_CASE("tensors that lie over each other are stacked, empty space is folded", "[app][models]") {
  const auto snapshot = tests::tour_snapshot();
  const MemoryMap map = build_memory_map(*snapshot);
  REQUIRE(map.lanes.size() == 1);
  const MapLane& lane = map.lanes.front();
  REQUIRE(lane.blocks.size() == 6);
  CHECK(lane.blocks[0].rows == 4);  // x, y, t and x reversed
  CHECK(lane.blocks[0].range.size() == 48);
  CHECK(lane.blocks[3].rows == 2);        // interleaved columns: one block, two rows
  CHECK(map.without_memory.size() == 1);  // the refused one
  for (std::size_t i = 1; i < lane.blocks.size(); ++i) {
    CHECK(lane.blocks[i - 1].range.end <= lane.blocks[i].range.begin);
    CHECK(lane.blocks[i - 1].unit_end <= lane.blocks[i].unit_begin);
  }
  CHECK(lane.blocks.back().unit_end == lane.units);
  REQUIRE(map.true_lanes.size() == 1);
  for (const MapBlock& block : map.true_lanes[0].blocks)
    CHECK(block.unit_end - block.unit_begin == static_cast<double>(block.range.size()));
}

TEST_CASE("any address of a block goes to a unit and back", "[app][models]") {
  const auto snapshot = tests::tour_snapshot();
  const MemoryMap map = build_memory_map(*snapshot);
  for (const MapLane& lane : map.lanes) {
    for (std::size_t i = 0; i < lane.blocks.size(); ++i) {
      const MapBlock& block = lane.blocks[i];
      CHECK(lane.block_at_address(block.range.begin) == i);
      CHECK(lane.block_at_address(block.range.end - 1) == i);
      CHECK(lane.block_at_unit((block.unit_begin + block.unit_end) / 2) == i);
      const core::Address middle = block.range.begin + block.range.size() / 2;
      const core::Address back = address_of(block, unit_of(block, middle) + 1e-9);
      CHECK((back == middle || back + 1 == middle || back == middle + 1));
      CHECK(block.range.contains(address_of(block, block.unit_end + 1000)));
      CHECK(address_of(block, block.unit_begin - 1000) == block.range.begin);
    }
  }
}

TEST_CASE("the rows of a block never hold two tensors over one another, whatever lies where", "[app][models]") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<tests::SampleTensor> tensors;
    for (int i = 0; i < 40; ++i) {
      tensors.push_back({.name = "t" + std::to_string(i),
                         .dtype = "uint8",
                         .address = 0x558120000000 + random() % 400,
                         .shape = {static_cast<std::int64_t>(1 + random() % 60)}});
    }
    const auto snapshot = tests::snapshot_of(tensors);
    const MemoryMap map = build_memory_map(*snapshot);
    std::uint64_t placed = 0;
    for (const MapBlock& block : map.lanes.at(0).blocks) {
      placed += block.hidden;
      CHECK(block.rows <= kMaxMapRows);
      for (std::uint32_t row = 0; row < block.rows; ++row) {
        core::Address end = 0;
        for (const MapTensor& tensor : map.row_of(block, row)) {
          CHECK(tensor.extent.begin >= end);
          CHECK(tensor.extent.end <= block.range.end);
          end = tensor.extent.end;
          ++placed;
        }
      }
    }
    CHECK(placed == tensors.size());
  }
}

TEST_CASE("what tensors' allocations have beside them is drawn as unnamed, byte for byte", "[app][models]") {
  constexpr core::Address kBase = 0x558120000000;
  constexpr std::size_t kBytes = 700;
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<tests::SampleTensor> tensors;
    std::vector<char> touched(kBytes, 0), kept(kBytes, 0);
    const int count = static_cast<int>(1 + random() % 12);
    for (int i = 0; i < count; ++i) {
      const std::size_t begin = 100 + random() % 400, size = 1 + random() % 40;
      tests::SampleTensor t{.name = "t" + std::to_string(i),
                            .dtype = "uint8",
                            .address = kBase + begin,
                            .shape = {static_cast<std::int64_t>(size)}};
      std::fill_n(touched.begin() + static_cast<std::ptrdiff_t>(begin), size, char{1});
      if (random() % 3 != 0) {
        // One in eight contradicts its tensor, and one in eight is the driver's: nothing is kept by those.
        const std::size_t before = random() % 80, after = random() % 80, kind = random() % 8;
        const std::size_t from = kind == 0 ? begin + 1 : begin - before, to = begin + size + after;
        t.allocation = {kBase + from, kBase + to};
        t.allocation_source = kind == 1 ? core::AllocationSource::driver : core::AllocationSource::storage;
        for (std::size_t at = from; kind > 1 && at < to; ++at) kept[at] = 1;
      }
      tensors.push_back(std::move(t));
    }
    const MemoryMap map = build_memory_map(*tests::snapshot_of(tensors));
    for (const MapLane* lane : {&map.lanes.at(0), &map.true_lanes.at(0)}) {
      std::vector<char> unnamed(kBytes, 0);
      double unit = 0;
      core::Address end = 0;
      for (const MapUnnamed& part : lane->unnamed) {
        CHECK(part.range.begin >= end);
        CHECK(part.unit_begin >= unit);
        CHECK(part.unit_end > part.unit_begin);
        end = part.range.end;
        unit = part.unit_end;
        for (core::Address at = part.range.begin; at < part.range.end; ++at) unnamed.at(at - kBase) = 1;
        if (part.tensor == core::kNone32) continue;
        const tests::SampleTensor& owner = tensors.at(part.tensor);
        CHECK(owner.allocation.holds(part.range.begin, part.range.size()));
      }
      CHECK(lane->units >= unit);
      std::uint64_t bytes = 0;
      bool same = true;
      for (std::size_t at = 0; at < kBytes; ++at) {
        const bool wanted = kept[at] != 0 && touched[at] == 0;
        bytes += wanted ? 1 : 0;
        same = same && wanted == (unnamed[at] != 0);
      }
      CHECK(same);
      CHECK(lane->unnamed_bytes() == bytes);
      // Blocks, unnamed parts and empty space follow one another without overlapping, in addresses as in units.
      for (std::size_t i = 1; i < lane->blocks.size(); ++i) {
        const MapUnnamed empty = lane->empty_before(i);
        CHECK(lane->blocks[i - 1].unit_end <= empty.unit_begin);
        CHECK(empty.unit_begin <= empty.unit_end);
        CHECK(empty.unit_end <= lane->blocks[i].unit_begin);
        CHECK((empty.range.empty() || (touched.at(empty.range.begin - kBase) == 0 && kept.at(empty.range.begin - kBase) == 0)));
        for (core::Address at = empty.range.begin; at < empty.range.end; ++at) same = same && kept.at(at - kBase) == 0;
      }
      CHECK(same);
    }
  }
}

TEST_CASE("a huge allocation does not push its tensor off the true scale", "[app][models]") {
  const core::Address at = 0x558120001000;
  const MemoryMap map = build_memory_map(*tests::snapshot_of(
      {{.name = "head", .dtype = "uint8", .address = at, .shape = {48}, .allocation = {at, at + (std::uint64_t{4} << 30)}}}));
  for (const MapLane* lane : {&map.lanes.at(0), &map.true_lanes.at(0)}) {
    REQUIRE(lane->unnamed.size() == 1);
    CHECK(lane->unnamed_bytes() == (std::uint64_t{4} << 30) - 48);
    CHECK(lane->blocks[0].unit_end - lane->blocks[0].unit_begin >= lane->units / 2);
    CHECK(lane->unnamed[0].unit_end == lane->units);
    CHECK(lane->unnamed[0].unit_end - lane->unnamed[0].unit_begin >= lane->units / 10);
  }
}

TEST_CASE("more tensors on one place than rows are counted, not lost", "[app][models]") {
  std::vector<tests::SampleTensor> tensors(20, {.name = "v", .shape = {8}});
  const MemoryMap map = build_memory_map(*tests::snapshot_of(tensors));
  REQUIRE(map.lanes.at(0).blocks.size() == 1);
  CHECK(map.lanes[0].blocks[0].rows == kMaxMapRows);
  CHECK(map.lanes[0].blocks[0].hidden == 20 - kMaxMapRows);
}

TEST_CASE("the bytes of a lane are known only when all of them were counted once", "[app][models]") {
  std::vector<tests::SampleTensor> tensors = {{.name = "a", .address = 0x558120001000, .shape = {8}, .strides = {2}},
                                              {.name = "b", .address = 0x558120001000, .shape = {4}, .strides = {2}}};
  const auto lane = [&](const core::SharingLimits& limits) {
    return build_memory_map(*tests::snapshot_of(tensors, 1, limits)).lanes.at(0);
  };
  CHECK(lane({}).distinct_known);
  CHECK(lane({}).distinct_bytes == 32);
  CHECK_FALSE(lane(tests::stopped_limits()).distinct_known);  // b may be counted twice
  tensors.push_back({.name = "unreadable", .address = 0x558120001000, .shape = {1 << 30}});
  CHECK_FALSE(lane({}).distinct_known);
}

TEST_CASE("nothing and one tensor make a map", "[app][models]") {
  CHECK(build_memory_map(*tests::empty_snapshot()).lanes.empty());
  const MemoryMap one = build_memory_map(*tests::scalar_snapshot());
  REQUIRE(one.lanes.size() == 1);
  CHECK(one.lanes[0].units > 0);
}

}  // namespace dlscope::app
