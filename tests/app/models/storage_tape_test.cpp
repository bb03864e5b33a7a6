#include "app/models/storage_tape.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace dlscope;

namespace {

core::SnapshotPtr snapshot_of(std::uint32_t item_bits, const core::Layout& layout) {
  auto snapshot = std::make_shared<core::Snapshot>();
  core::TensorRecord record;
  record.has_metadata = record.has_layout = true;
  record.dtype = {0, static_cast<std::uint8_t>(item_bits), 1};
  record.item_bits = item_bits;
  record.data = record.address = 0x1000;
  record.space = core::kHostSpace;
  record.rank = static_cast<std::uint8_t>(layout.shape.size());
  const auto bounds = *core::validate(layout);
  record.elements = bounds.elements;
  record.extent = *core::extent_of(bounds, record.address);
  snapshot->dims = layout.shape;
  snapshot->dims.insert(snapshot->dims.end(), layout.stride_bits.begin(), layout.stride_bits.end());
  snapshot->tensors.push_back(record);
  return snapshot;
}

std::vector<app::TapeCell> all_cells(const app::StorageTape& tape) {
  std::vector<app::TapeCell> out;
  tape.read(0, 1000, out);
  return out;
}

}  // namespace

TEST_CASE("Every second element leaves holes on the tape", "[app][models][tape]") {
  const app::StorageTape tape(snapshot_of(32, core::Layout::from_element_strides({3}, {2}, 32)), 0);
  CHECK(tape.cell_bytes() == 4);
  const auto cells = all_cells(tape);
  REQUIRE(cells.size() == 5);
  CHECK(cells[0].element == 0);
  CHECK_FALSE(cells[1].element.has_value());
  CHECK(cells[1].elements == 0);
  CHECK(cells[4].element == 2);
  CHECK(tape.cell_of(0x1009) == 2);
}

TEST_CASE("A reversed view starts with its last element", "[app][models][tape]") {
  const auto cells = all_cells(app::StorageTape(snapshot_of(32, core::Layout::from_element_strides({4}, {-1}, 32)), 0));
  REQUIRE(cells.size() == 4);
  CHECK(cells[0].element == 3);
  CHECK(cells[3].element == 0);
  CHECK(cells[0].bytes.begin == 0x1000 - 12);
}

TEST_CASE("A sliding window tells how many elements share a cell", "[app][models][tape]") {
  const auto cells = all_cells(app::StorageTape(snapshot_of(32, core::Layout::from_element_strides({3, 2}, {1, 1}, 32)), 0));
  REQUIRE(cells.size() == 4);
  CHECK(cells[0].elements == 1);
  CHECK(cells[1].elements == 2);
  CHECK(cells[1].element == 1);  // [0,1] before [1,0]
  CHECK(cells[3].elements == 1);
}

TEST_CASE("A stride that cuts elements makes smaller cells, packed types whole bytes", "[app][models][tape]") {
  CHECK(app::StorageTape(snapshot_of(64, core::Layout::from_byte_strides({3}, {12}, 64)), 0).cell_bytes() == 4);
  const app::StorageTape packed(snapshot_of(4, core::Layout::c_order({6}, 4)), 0);
  CHECK(packed.cell_bytes() == 1);
  const auto cells = all_cells(packed);
  REQUIRE(cells.size() == 3);
  CHECK(cells[1].element == 2);
  CHECK(cells[1].elements == 2);
}
