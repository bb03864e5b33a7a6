// Stretches of every size, distance and address, turned, against one value after another. Nothing behind the last value is read.
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "core/elements/move_values.h"
#include "tests/support/guarded_memory.h"

namespace dlscope::core {

TEST_CASE("stretches are turned value by value or many at once", "[core][elements]") {
  std::mt19937 chance(19);
  const tests::GuardedMemory guarded(std::size_t{1} << 20);
  const std::span memory(guarded.begin(), guarded.guard());
  for (std::byte& byte : memory) byte = static_cast<std::byte>(chance());
  for (int round = 0; round < 3000; ++round) {
    const std::size_t bytes = std::size_t{1} << chance() % 5;
    const std::uint64_t stretches = 1 + chance() % 40, count = 1 + chance() % (round % 3 == 0 ? 40 : 600);
    const bool dense = chance() % 4 != 0;
    const std::size_t along = dense ? bytes : bytes + chance() % 5;
    const std::size_t across = along * count + chance() % 80;
    const std::size_t size = across * (stretches - 1) + along * (count - 1) + bytes;
    if (size > memory.size()) continue;
    // Up to the guarded page, or anywhere.
    const std::size_t begin = chance() % 2 == 0 ? memory.size() - size : chance() % (memory.size() - size + 1);
    Stretches all{memory.data() + begin, static_cast<std::int64_t>(across), static_cast<std::int64_t>(along), stretches, count};
    if (chance() % 3 == 0) {  // the last stretch first
      all.from += all.across * static_cast<std::int64_t>(stretches - 1);
      all.across = -all.across;
    }
    std::vector<std::byte> turned(stretches * count * bytes + 1, std::byte{0xa5});
    REQUIRE(transpose_values(bytes, all, turned.data()));
    REQUIRE(turned.back() == std::byte{0xa5});
    for (std::uint64_t k = 0; k < count; ++k) {
      for (std::uint64_t i = 0; i < stretches; ++i) {
        const std::byte* const value =
            all.from + all.across * static_cast<std::int64_t>(i) + all.along * static_cast<std::int64_t>(k);
        REQUIRE(std::memcmp(turned.data() + (k * stretches + i) * bytes, value, bytes) == 0);
      }
    }
  }
  std::byte three[3] = {};
  CHECK_FALSE(transpose_values(3, {memory.data(), 3, 3, 1, 1}, three));
}

}  // namespace dlscope::core
