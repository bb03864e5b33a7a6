#include "core/search/search_kernels.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <vector>

namespace dlscope::core {
namespace {

WordRanges random_ranges(std::mt19937_64& random, std::size_t bytes) {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * bytes);
  WordRanges out{.mask = random() % 2 == 0 ? all : all >> 1};
  for (std::size_t i = 0; i < 2; ++i) {
    out.low[i] = random() % 3 == 0 ? random() & out.mask : random() % 9;
    out.span[i] = std::min(out.mask - out.low[i], random() % 4 == 0 ? random() & out.mask : random() % 4);
  }
  if (random() % 2 == 0) out.low[1] = out.low[0], out.span[1] = out.span[0];
  return out;
}

std::uint64_t word_at(const std::byte* from, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

}  // namespace

TEST_CASE("every instruction set counts the words that lie in the ranges, one by one", "[core][search]") {
  std::mt19937_64 random(7);
  for (const SearchKernels* const kernels : all_search_kernels()) {
    for (int round = 0; round < 600; ++round) {
      const std::size_t log = random() % 4, bytes = std::size_t{1} << log, shift = random() % 9;  // misaligned, too
      const std::uint64_t count = random() % 700;
      std::vector<std::byte> memory(shift + (count + 1) * 2 * bytes);
      for (std::byte& byte : memory) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
      const std::byte* const from = memory.data() + shift;
      const std::array<WordRanges, 2> sought{random_ranges(random, bytes), random_ranges(random, bytes)};
      const auto has = [&](std::size_t which, std::uint64_t word) {
        const std::uint64_t w = word_at(from + word * bytes, bytes) & sought[which].mask;
        return (w >= sought[which].low[0] && w <= sought[which].low[0] + sought[which].span[0]) ||
               (w >= sought[which].low[1] && w <= sought[which].low[1] + sought[which].span[1]);
      };
      std::uint64_t words = 0, either = 0, both = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        words += has(0, i) ? 1 : 0;
        either += has(0, 2 * i) || has(0, 2 * i + 1) ? 1 : 0;
        both += has(0, 2 * i) && has(1, 2 * i + 1) ? 1 : 0;
      }
      INFO(count << " words of " << bytes << " bytes");
      REQUIRE(kernels->words[log](from, count, sought[0]) == words);
      if (log == 0) continue;
      REQUIRE(kernels->either[log - 1](from, count, sought[0]) == either);
      REQUIRE(kernels->both[log - 1](from, count, sought) == both);
    }
  }
}

}  // namespace dlscope::core
