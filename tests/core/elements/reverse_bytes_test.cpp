#include "core/elements/reverse_bytes.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

namespace dlscope::core {
namespace {

TEST_CASE("the bytes of each number are reversed, on every instruction set, in place too", "[core][elements]") {
  std::mt19937 random(5);
  std::vector<std::byte> from(700);
  for (std::byte& byte : from) byte = static_cast<std::byte>(random());
  for (const ReverseKernels* const kernels : all_reverse_kernels()) {
    INFO(kernels->name);
    for (const std::size_t each : {2U, 4U, 8U}) {
      for (std::size_t bytes = 0; bytes < 300; ++bytes) {
        const std::size_t first = random() % 9, whole = bytes / each * each;
        const auto piece = std::span(from).subspan(first, bytes);
        std::vector<std::byte> expected(piece.begin(), piece.end()), in_place = expected, copied(bytes + 1, std::byte{0x5a});
        for (std::size_t at = 0; at < whole; at += each)
          std::reverse(expected.begin() + static_cast<std::ptrdiff_t>(at), expected.begin() + static_cast<std::ptrdiff_t>(at + each));
        kernels->reverse(each, in_place.data(), bytes, in_place.data());
        REQUIRE(in_place == expected);
        kernels->reverse(each, piece.data(), bytes, copied.data());
        REQUIRE(std::ranges::equal(std::span(copied).first(bytes), expected));
        REQUIRE(copied.back() == std::byte{0x5a});
      }
    }
  }
}

}  // namespace
}  // namespace dlscope::core
