#include "app/models/values/value_grid.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "app/models/tensors/unreadable_values.h"
#include "core/inventory/snapshot_builder.h"

using namespace dlscope;
using app::AxisMapping;
using app::GridCell;
using app::GridWindow;
using app::ValueGrid;

namespace {

core::SnapshotPtr snapshot_of(const void* data, core::DType dtype, const core::Layout& layout) {
  core::TensorDesc desc;
  desc.clear();
  desc.protocol = core::Protocol::dlpack;
  desc.has_metadata = desc.has_layout = true;
  desc.dtype = dtype;
  desc.device = core::kCpuDevice;
  desc.data = reinterpret_cast<core::Address>(data);
  desc.rank = static_cast<std::int32_t>(layout.shape.size());
  std::copy(layout.shape.begin(), layout.shape.end(), desc.shape.begin());
  std::copy(layout.stride_bits.begin(), layout.stride_bits.end(), desc.stride_bits.begin());
  desc.bounds = *core::validate(layout);
  desc.extent = *core::extent_of(desc.bounds, desc.data);
  core::SnapshotBuilder builder;
  builder.add_tensor(desc, builder.intern("numpy"), builder.intern("numpy.ndarray"), builder.add_text("x"));
  const auto map = core::AddressMap::load(0);
  const auto reader = core::process_reader(0);
  builder.analyse({.map = &*map, .reader = reader->get(), .sharing = {}});
  return builder.finish();
}

std::vector<GridCell> read_all(const ValueGrid& grid) {
  const auto reader = core::process_reader(0);
  std::vector<GridCell> cells;
  (void)grid.read(**reader, {0, 0, static_cast<std::uint32_t>(grid.rows()), static_cast<std::uint32_t>(grid.columns())}, cells);
  return cells;
}

const core::DType kInt32{0, 32, 1};

}  // namespace

TEST_CASE("A window of a rank-4 view with negative and broadcast strides shows the elements NumPy would",
          "[app][models][values]") {
  std::vector<std::int32_t> data(1000);
  std::iota(data.begin(), data.end(), 0);
  const auto layout = core::Layout::from_element_strides({2, 3, 4, 5}, {100, -20, 0, 3}, 32);
  const auto snapshot = snapshot_of(data.data() + 500, kInt32, layout);
  ValueGrid grid(snapshot, 0, {.row = 1, .column = 3, .fixed = {1, 0, 2, 0}});
  REQUIRE(grid.rows() == 3);
  REQUIRE(grid.columns() == 5);
  const auto reader = core::process_reader(0);
  std::vector<GridCell> cells;
  const GridWindow got = grid.read(**reader, {1, 2, 10, 10}, cells);
  CHECK(got.rows == 2);
  CHECK(got.columns == 3);
  REQUIRE(cells.size() == 6);
  for (std::uint32_t r = 0; r < 2; ++r) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      CHECK(cells[r * 3 + c].text == fmt::format("{}", 500 + 100 - 20 * (r + 1) + 3 * (c + 2)));
      CHECK(grid.element(r + 1, c + 2) == ((1u * 3 + (r + 1)) * 4 + 2) * 5 + (c + 2));
    }
  }
  const auto bytes = grid.bytes(2, 4);
  CHECK(bytes.begin == reinterpret_cast<core::Address>(&data[500 + 100 - 40 + 12]));
  CHECK(bytes.size() == 4);
}

TEST_CASE("Packed int4 that ends at the last byte of a page is read to its last element", "[app][models][values]") {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* base = static_cast<std::byte*>(::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(base != MAP_FAILED);
  REQUIRE(::mprotect(base + page, page, PROT_NONE) == 0);
  std::byte* data = base + page - 3;
  data[0] = std::byte{0x21};
  data[1] = std::byte{0x43};
  data[2] = std::byte{0xf5};
  const auto snapshot = snapshot_of(data, {0, 4, 1}, core::Layout::c_order({6}, 4));
  const auto cells = read_all(ValueGrid(snapshot, 0, app::default_mapping(1)));
  REQUIRE(cells.size() == 6);
  const char* expected[] = {"1", "2", "3", "4", "5", "-1"};
  for (std::size_t i = 0; i < 6; ++i) CHECK(cells[i].text == expected[i]);
  ::munmap(base, 2 * page);
}

TEST_CASE("Memory that is gone reads as a question mark, never as a number", "[app][models][values]") {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* base = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(base != MAP_FAILED);
  const auto snapshot = snapshot_of(base, kInt32, core::Layout::c_order({2, 2}, 32));
  ValueGrid grid(snapshot, 0, app::default_mapping(2));
  ::munmap(base, page);
  for (const GridCell& cell : read_all(grid)) {
    CHECK_FALSE(cell.readable);
    CHECK(cell.text == "?");
  }
}

TEST_CASE("A scalar is one cell, a vector one row", "[app][models][values]") {
  const std::int32_t seven = 7;
  const auto scalar = snapshot_of(&seven, kInt32, core::Layout::c_order({}, 32));
  const auto cells = read_all(ValueGrid(scalar, 0, app::default_mapping(0)));
  REQUIRE(cells.size() == 1);
  CHECK(cells[0].text == "7");
  const std::int32_t three[] = {1, 2, 3};
  ValueGrid vector(snapshot_of(three, kInt32, core::Layout::c_order({3}, 32)), 0, app::default_mapping(1));
  CHECK(vector.rows() == 1);
  CHECK(vector.columns() == 3);
}

TEST_CASE("A tensor whose values cannot be shown says why", "[app][models][values]") {
  core::Snapshot snapshot;
  core::TensorRecord record;
  CHECK_FALSE(app::why_no_values(snapshot, record).empty());
  record.has_metadata = record.has_layout = record.readable = true;
  record.elements = 4;
  record.data = record.address = 0x1000;
  record.space = core::kHostSpace;
  CHECK(app::why_no_values(snapshot, record).empty());
  record.space = 2;
  CHECK(app::why_no_values(snapshot, record).find("device") != std::string::npos);
}
