#include "core/compare/content_hash.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace dlscope::core {
namespace {

std::vector<std::byte> noise(std::size_t bytes) {
  std::mt19937 chance(3);
  std::vector<std::byte> out(bytes);
  for (std::byte& byte : out) byte = static_cast<std::byte>(chance());
  return out;
}

}  // namespace

TEST_CASE("The hash's fast loop gives what plain arithmetic gives", "[core][compare]") {
  const auto values = noise(16 * 300);
  for (const std::size_t bytes : {1u, 2u, 4u, 8u, 16u, 3u}) {
    for (const std::uint64_t index :
         {std::uint64_t{0}, std::uint64_t{12345}, (std::uint64_t{1} << 32) - 7, (std::uint64_t{7} << 32) + 200}) {
      for (const std::int64_t step : {1, 3, -1, -2, 40'000'000, 0}) {
        for (const std::uint64_t count : {0u, 1u, 7u, 100u}) {
          CAPTURE(bytes, index, step, count);
          REQUIRE(hash_of_values(values.data(), bytes, count, index, step) ==
                  plain_hash_of_values(values.data(), bytes, count, index, step));
        }
      }
    }
  }
}

TEST_CASE("Comparing, hashing and counting NaN in one go gives what each gives by itself", "[core][compare]") {
  std::mt19937 chance(8);
  for (int round = 0; round < 4000; ++round) {
    const std::size_t bytes = std::size_t{1} << chance() % 5, shift = chance() % 5;
    const std::uint64_t count = chance() % 300;
    const std::uint64_t index = std::uint64_t{chance() % 3} << (chance() % 2 == 0 ? 31 : 3);
    const std::int64_t step = std::vector<std::int64_t>{1, 1, 3, -1, 0}[chance() % 5];
    std::vector<std::byte> a = noise(bytes * 300 + shift), b = a;
    const bool differs = chance() % 3 == 0 && count > 0;
    if (differs) b[shift + chance() % (count * bytes)] ^= std::byte{8};
    const std::size_t pattern = bytes == 16 ? 8 : bytes == 8 ? 4 + 4 * (chance() % 2) : bytes;
    const std::uint64_t low = chance() % 100, all = ~std::uint64_t{0} >> (64 - 8 * pattern);
    const PatternRange nan{~std::uint64_t{0}, low, (all - low) >> chance() % 9};
    const PatternRange* const sought = round % 4 == 0 ? nullptr : &nan;
    const EqualWords found = hash_and_compare(a.data() + shift, b.data() + shift, bytes, count, index, step, sought, pattern);
    CAPTURE(bytes, count, index, step, found.taken);
    REQUIRE(found.taken <= count);
    REQUIRE(found.hash == plain_hash_of_values(a.data() + shift, bytes, found.taken, index, step));
    const bool same = std::equal(a.begin() + static_cast<std::ptrdiff_t>(shift),
                                 a.begin() + static_cast<std::ptrdiff_t>(shift + found.taken * bytes),
                                 b.begin() + static_cast<std::ptrdiff_t>(shift));
    REQUIRE(found.equal == same);
    std::uint64_t nans = 0;
    for (std::size_t at = 0; at < found.taken * bytes && round % 4 != 0; at += pattern) {
      std::uint64_t word = 0;
      std::memcpy(&word, a.data() + shift + at, pattern);
      nans += word >= nan.low && word - nan.low <= nan.span ? 1 : 0;
    }
    REQUIRE(found.nans == nans);
    if (bytes >= 4 && step == 1 && index == 0) CHECK(found.taken + 64 > count);
  }
}

TEST_CASE("Values that change places, or a bit, change the hash; the shape and the dtype are part of it", "[core][compare]") {
  auto values = noise(4 * 1000);
  const auto sum = [&] { return hash_of_values(values.data(), 4, 1000, 0, 1); };
  std::set<std::uint64_t> seen{sum()};
  for (std::size_t i = 0; i < 999; ++i) {
    std::swap_ranges(values.begin() + static_cast<std::ptrdiff_t>(i * 4), values.begin() + static_cast<std::ptrdiff_t>(i * 4 + 4),
                     values.begin() + static_cast<std::ptrdiff_t>(i * 4 + 4));
    seen.insert(sum());
  }
  CHECK(seen.size() == 1000);
  for (std::size_t bit = 0; bit < 4000; ++bit) {
    values[bit] ^= std::byte{1};
    seen.insert(sum());
    values[bit] ^= std::byte{1};
  }
  CHECK(seen.size() == 5000);
  const std::int64_t one[] = {6}, two[] = {2, 3}, turned[] = {3, 2};
  const DType f32{2, 32, 1}, i32{0, 32, 1};
  CHECK(std::set<std::uint64_t>{content_hash(1, f32, one), content_hash(1, f32, two), content_hash(1, f32, turned),
                                content_hash(1, i32, one), content_hash(2, f32, one)}
            .size() == 5);
}

}  // namespace dlscope::core
