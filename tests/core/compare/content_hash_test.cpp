#include "core/compare/content_hash.h"

#include <catch2/catch_test_macros.hpp>
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
