// Reads hostile memory (tests/support/hostile_memory.h) in every way that a MemoryReader has: what it says it has read is right.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "core/memory/memory_reader.h"
#include "tests/support/hostile_memory.h"

namespace dlscope::tests {

struct Readings {
  int whole = 0, short_ones = 0;
};

// One stretch, and many pieces, from anywhere in the area.
inline void read_once(const core::MemoryReader& reader, const PatternArea& area, std::mt19937& random, Readings& readings) {
  using core::Address;
  const std::size_t at = random() % PatternArea::kBytes;
  std::vector<std::byte> out(1 + random() % (5 * PatternArea::kPage));
  out.resize(std::min(out.size(), PatternArea::kBytes - at));
  const std::size_t got = reader.read(area.begin() + at, out);
  REQUIRE(got <= out.size());
  REQUIRE(area.is_right(area.begin() + at, std::span(out).first(got)));
  ++(got == out.size() ? readings.whole : readings.short_ones);

  const std::size_t each = 1 + random() % 16;
  std::vector<Address> addresses(1 + random() % 40);
  for (Address& address : addresses) address = area.begin() + random() % (PatternArea::kBytes - each + 1);
  std::vector<std::byte> pieces(addresses.size() * each);
  std::vector<std::uint8_t> complete(addresses.size(), 7);
  reader.gather(addresses, each, pieces, complete);
  bool right = true;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    right = right && complete[i] <= 1;
    if (complete[i] == 1) right = right && area.is_right(addresses[i], std::span(pieces).subspan(i * each, each));
    ++(complete[i] == 1 ? readings.whole : readings.short_ones);
  }
  REQUIRE(right);
  reader.probe(addresses, complete);
  REQUIRE(std::ranges::all_of(complete, [](std::uint8_t readable) { return readable <= 1; }));
}

// While another thread changes it: until `rounds` readings and as many changes are done, and one has met a change.
template <class Racing>
Readings read_in_a_race(const core::MemoryReader& reader, Racing& area, int rounds) {
  std::mt19937 random(11);
  Readings readings;
  const int before = area.changes();
  for (int i = 0; i < rounds || area.changes() - before < rounds || readings.short_ones == 0; ++i) {
    REQUIRE(i < 10'000 * rounds);  // else no reading ever meets a change
    read_once(reader, area, random, readings);
  }
  return readings;
}

// All of it can be read, to the last byte.
inline void check_whole(const core::MemoryReader& reader, const PatternArea& area) {
  std::vector<std::byte> all(PatternArea::kBytes);
  REQUIRE(reader.read(area.begin(), all) == all.size());
  CHECK(area.is_right(area.begin(), all));
}

}  // namespace dlscope::tests
