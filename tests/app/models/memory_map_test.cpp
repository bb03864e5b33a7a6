#include "app/models/tensors/memory_map.h"

#include <catch2/catch_test_macros.hpp>

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
