#include "core/compare/pair_order.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>
#include <vector>

namespace dlscope::core {
namespace {

// Every place once, at the bits where both layouts have the element of that index.
void check(const Layout& a, const Layout& b, unsigned lanes, unsigned bits_a, unsigned bits_b) {
  const PairOrder order(a, b, lanes, bits_a, bits_b);
  std::uint64_t elements = 1;
  for (const std::int64_t n : a.shape) elements *= static_cast<std::uint64_t>(n);
  REQUIRE(order.places() * order.repeats() == elements * lanes);
  std::map<std::int64_t, int> seen;
  for (const PairBox& box : order.boxes()) {
    for (std::uint64_t place = 0; place < box.count; ++place) {
      const std::int64_t index = box.indices.at(place);
      ++seen[index];
      const auto element = static_cast<std::uint64_t>(index) / lanes;
      const std::int64_t lane = index % lanes;
      const std::int64_t at_a = box.bits_a.at(place), at_b = box.bits_b.at(place);
      REQUIRE(at_a >= 0);
      REQUIRE(at_b >= 0);
      REQUIRE(at_a + order.base_a() * 8 == bit_offset_of(a, element) + lane * bits_a);
      REQUIRE(at_b + order.base_b() * 8 == bit_offset_of(b, element) + lane * bits_b);
    }
  }
  REQUIRE(seen.size() == order.places());
}

Layout random_layout(std::vector<std::int64_t> shape, std::uint32_t item, std::mt19937& chance) {
  std::vector<std::int64_t> strides;
  for (std::size_t d = 0; d < shape.size(); ++d) strides.push_back(static_cast<std::int64_t>(chance() % 41) - 20);
  return Layout::from_element_strides(std::move(shape), strides, item);
}

}  // namespace

TEST_CASE("Pairs of layouts: each place once, and both sides at the same element", "[core][compare]") {
  std::mt19937 chance(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> shape(chance() % 5);
    for (std::int64_t& n : shape) n = static_cast<std::int64_t>(chance() % 6);
    const unsigned lanes = chance() % 4 == 0 ? 3 : 1;
    check(random_layout(shape, 32 * lanes, chance), random_layout(shape, 4 * lanes, chance), lanes, 32, 4);
  }
}

TEST_CASE("A transposed partner is walked in tiles", "[core][compare]") {
  for (const auto& [rows, columns] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{200, 130}, {128, 64}, {65, 129}, {64, 300}, {257, 66}}) {
    const Layout dense = Layout::c_order({rows, columns}, 32);
    const Layout turned = Layout::from_element_strides({rows, columns}, {1, rows}, 32);
    check(dense, turned, 1, 32, 32);
    check(Layout::from_element_strides({rows, columns}, {-columns, 1}, 32), turned, 1, 32, 32);
  }
  CHECK(PairOrder(Layout::c_order({200, 130}, 32), Layout::from_element_strides({200, 130}, {1, 200}, 32), 1, 32, 32)
            .boxes()
            .size() == 3);
  // The smaller the values, the more of them make a stretch; axes that are too short for that get smaller tiles.
  for (const auto& [rows, columns, tile] :
       std::vector<std::array<std::int64_t, 3>>{{530, 600, 512}, {600, 300, 256}, {140, 700, 128}}) {
    const Layout dense = Layout::c_order({rows, columns}, 8),
                 turned = Layout::from_element_strides({rows, columns}, {1, rows}, 8);
    check(dense, turned, 1, 8, 8);
    CHECK(PairOrder(dense, turned, 1, 8, 8).boxes().front().tile == static_cast<std::uint64_t>(tile * tile));
  }
}

}  // namespace dlscope::core
