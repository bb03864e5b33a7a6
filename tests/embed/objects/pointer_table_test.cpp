// PointerTable: what it finds, and that no regular pattern of addresses makes it walk.
#include "embed/objects/pointer_table.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using dlscope::embed::PointerTable;

namespace {

const void* pointer(std::uint64_t address) { return reinterpret_cast<const void*>(address); }

struct Walk {
  double mean = 0;
  std::size_t longest = 0;
};

Walk walk(const std::vector<std::uint64_t>& addresses) {
  PointerTable table;
  for (std::size_t i = 0; i < addresses.size(); ++i) table.insert(pointer(addresses[i]), static_cast<std::uint32_t>(i));
  Walk found;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    REQUIRE(table.find(pointer(addresses[i])) == i);
    const std::size_t probes = table.probes(pointer(addresses[i]));
    found.mean += static_cast<double>(probes) / static_cast<double>(addresses.size());
    found.longest = std::max(found.longest, probes);
  }
  return found;
}

}  // namespace

TEST_CASE("an empty table and one with a key answer what they hold", "[embed][objects]") {
  PointerTable table;
  CHECK(table.find(pointer(16)) == PointerTable::kAbsent);
  CHECK(table.probes(pointer(16)) == 0);
  table.insert(pointer(16), 7);
  CHECK(table.find(pointer(16)) == 7);
  CHECK(table.find(pointer(32)) == PointerTable::kAbsent);
}

// Python's own arenas: pools of 4 or 16 KiB with objects of one size, in arenas of 256 KiB or 1 MiB one behind the other.
TEST_CASE("addresses a fixed distance apart cost few probes, however many there are", "[embed][objects]") {
  for (const std::uint64_t distance : {16u, 32u, 48u, 64u, 72u, 80u, 112u, 256u, 4096u, 65536u, 1u << 20}) {
    for (const std::size_t count : {std::size_t{1000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
      std::vector<std::uint64_t> addresses;
      for (std::size_t i = 0; i < count; ++i) addresses.push_back(0x7f12'3400'0040 + i * distance);
      const Walk found = walk(addresses);
      INFO("distance " << distance << ", " << count << " keys");
      CHECK(found.mean < 2.5);
      CHECK(found.longest < 200);
    }
  }
}

TEST_CASE("objects in pools, in arenas, in an order of their own cost few probes", "[embed][objects]") {
  for (const std::uint64_t size : {56u, 64u, 88u}) {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t arena = 0; addresses.size() < 1'000'000; ++arena) {
      const std::uint64_t base = 0x7f00'0000'0000 + arena * 0x10'0000 + (arena % 7) * 0x1000'0000;
      for (std::uint64_t pool = 0; pool < 64; ++pool) {
        for (std::uint64_t at = 48; at + size <= 16384; at += size) addresses.push_back(base + pool * 16384 + at);
      }
    }
    std::mt19937 random(1);
    std::shuffle(addresses.begin(), addresses.end(), random);
    const Walk found = walk(addresses);
    INFO("size " << size);
    CHECK(found.mean < 2.5);
    CHECK(found.longest < 200);
  }
}
