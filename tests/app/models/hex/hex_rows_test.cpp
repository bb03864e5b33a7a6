#include "app/models/hex/hex_rows.h"

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <random>

namespace dlscope::app {
namespace {

constexpr core::Address kEnd = std::numeric_limits<core::Address>::max();

}  // namespace

TEST_CASE("Every row of a range has its place, at both ends of the address space too", "[app][models][hex]") {
  std::mt19937_64 chance(20261122);
  for (const unsigned width : kHexWidths) {
    for (int round = 0; round < 3000; ++round) {
      const core::Address around[] = {0, kEnd, std::uint64_t{1} << 47, 0x7f3a10200000};
      const auto near_to = [&](core::Address at) { return at + chance() % 200 - (at == 0 ? 0 : at == kEnd ? 199 : 100); };
      const core::Address a = near_to(around[chance() % 4]), b = near_to(around[chance() % 4]);
      const HexRows rows{std::min(a, b), std::max(a, b), width};
      const core::Address any =
          rows.first + (rows.last == kEnd && rows.first == 0 ? chance() : chance() % (rows.last - rows.first + 1));
      const std::uint64_t row = rows.row_of(any);
      INFO(rows.first << " to " << rows.last << ", byte " << any << ", width " << width);
      REQUIRE(row < rows.rows());
      REQUIRE(any - rows.begin_of(row) < width);
      REQUIRE(rows.begin_of(row) % width == 0);
      REQUIRE(rows.row_of(rows.first) == 0);
      REQUIRE(rows.row_of(rows.last) == rows.rows() - 1);
      REQUIRE(kEnd - rows.begin_of(rows.rows() - 1) >= width - 1);  // the last row ends inside the address space
    }
  }
}

TEST_CASE("The last row of 100 GiB is exact", "[app][models][hex]") {
  const HexRows rows = rows_of({0x7f0000000010, 0x7f0000000010 + (std::uint64_t{100} << 30)}, 16);
  CHECK(rows.rows() == (std::uint64_t{100} << 30) / 16);
  CHECK(rows.begin_of(rows.rows() - 1) == 0x7f0000000000 + (std::uint64_t{100} << 30));
  CHECK(rows.begin_of(rows.rows() - 2) == 0x7f0000000000 + (std::uint64_t{100} << 30) - 16);
}

TEST_CASE("The whole address space has rows", "[app][models][hex]") {
  const HexRows rows{0, kEnd, 8};
  CHECK(rows.rows() == std::uint64_t{1} << 61);
  CHECK(rows.begin_of(rows.rows() - 1) == kEnd - 7);
  CHECK(rows.row_of(kEnd) == rows.rows() - 1);
  CHECK_FALSE(HexSelection{0, kEnd}.size().has_value());
}

TEST_CASE("The cursor moves byte by byte and row by row and stays inside", "[app][models][hex]") {
  const HexRows rows{0x1005, 0x1042, 16};
  CHECK(stepped(rows, 0x1010, HexStep::left, 3) == 0x100f);
  CHECK(stepped(rows, 0x1005, HexStep::left, 3) == 0x1005);
  CHECK(stepped(rows, 0x1042, HexStep::right, 3) == 0x1042);
  CHECK(stepped(rows, 0x1018, HexStep::up, 3) == 0x1008);
  CHECK(stepped(rows, 0x1012, HexStep::up, 3) == 0x1012);  // above it lies a byte outside
  CHECK(stepped(rows, 0x1018, HexStep::down, 3) == 0x1028);
  CHECK(stepped(rows, 0x1035, HexStep::down, 3) == 0x1035);
  CHECK(stepped(rows, 0x1008, HexStep::page_down, 2) == 0x1028);
  CHECK(stepped(rows, 0x1008, HexStep::page_down, 99) == 0x1038);
  CHECK(stepped(rows, 0x1038, HexStep::page_up, 99) == 0x1008);
  CHECK(stepped(rows, 0x1018, HexStep::row_begin, 3) == 0x1010);
  CHECK(stepped(rows, 0x1008, HexStep::row_begin, 3) == 0x1005);
  CHECK(stepped(rows, 0x1018, HexStep::row_end, 3) == 0x101f);
  CHECK(stepped(rows, 0x1041, HexStep::row_end, 3) == 0x1042);
  CHECK(stepped(rows, 0x1018, HexStep::first, 3) == 0x1005);
  CHECK(stepped(rows, 0x1018, HexStep::last, 3) == 0x1042);
  CHECK(stepped(rows, 0, HexStep::right, 3) == 0x1006);  // from outside: from the nearest byte
  const HexRows all{0, kEnd, 16};
  CHECK(stepped(all, kEnd, HexStep::page_down, 50) == kEnd);
  CHECK(stepped(all, kEnd - 3, HexStep::page_up, kEnd) == 12);
}

TEST_CASE("A selection is the same in both directions", "[app][models][hex]") {
  const HexSelection back{0x20, 0x10}, forth{0x10, 0x20};
  CHECK(back.first() == forth.first());
  CHECK(back.size() == 17);
  CHECK(back.contains(0x20));
  CHECK_FALSE(back.contains(0x21));
}

}  // namespace dlscope::app
