#include "core/sharing/multiplicity.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>
#include <vector>

using namespace dlscope::core;

namespace {

std::map<Address, std::uint64_t> brute_force(const MemoryView& view, std::uint64_t elements) {
  std::map<Address, std::uint64_t> out;
  for (std::uint64_t flat = 0; flat < elements; ++flat) {
    const std::int64_t bit = static_cast<std::int64_t>(view.address) * 8 + bit_offset_of(view.layout, flat);
    for (std::int64_t b = bit / 8; b <= (bit + view.layout.item_bits - 1) / 8; ++b) ++out[static_cast<Address>(b)];
  }
  return out;
}

}  // namespace

TEST_CASE("Elements reaching a byte are counted as brute force counts them", "[core][memory][multiplicity]") {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 3000; ++round) {
    const bool packed = pick(0, 4) == 0;
    const auto item = static_cast<std::uint32_t>(packed ? 4 : 8 * pick(1, 8));
    Layout layout{.shape = {}, .stride_bits = {}, .item_bits = item};
    for (int d = pick(0, 4); d > 0; --d) {
      layout.shape.push_back(pick(0, 5));
      layout.stride_bits.push_back(packed ? 4 * pick(-9, 9) : 8 * pick(-12, 12));
    }
    MemoryView view{0x10000, layout, {}};
    const LayoutBounds bounds = *validate(layout);
    view.extent = *extent_of(bounds, view.address);
    const auto expected = brute_force(view, bounds.elements);
    for (Address a = view.extent.begin - 2; a < view.extent.end + 2; ++a) {
      const auto it = expected.find(a);
      const auto found = elements_reaching(view, a);
      REQUIRE(found.has_value());
      if (*found != (it == expected.end() ? 0 : it->second)) {
        INFO(describe(layout) << " at +" << static_cast<std::int64_t>(a - view.address));
        CHECK(*found == (it == expected.end() ? 0 : it->second));
      }
    }
  }
}

TEST_CASE("A broadcast too large to enumerate is counted, a hard layout gives up", "[core][memory][multiplicity]") {
  const Layout wide{.shape = {std::int64_t{1} << 40, 4}, .stride_bits = {0, 32}, .item_bits = 32};
  MemoryView view{0x1000, wide, {0x1000, 0x1010}};
  CHECK(elements_reaching(view, 0x1005) == std::uint64_t{1} << 40);
  Layout hard{.shape = {}, .stride_bits = {}, .item_bits = 8};
  for (int d = 0; d < 12; ++d) {
    hard.shape.push_back(10);
    hard.stride_bits.push_back(8 * (1001 + 7 * d));
  }
  MemoryView many{0x1000, hard, *extent_of(*validate(hard), 0x1000)};
  CHECK_FALSE(elements_reaching(many, 0x1000 + 54000, 10'000).has_value());
}
