// MemoryOrder against looking at every element.
#include "core/elements/memory_order.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

#include "tests/support/layout_samples.h"

namespace dlscope::core {
namespace {

constexpr Address kSomewhere = 0x7f00'1234'5678;

DType dtype_of(const Layout& layout) { return {1, static_cast<std::uint8_t>(layout.item_bits), 1}; }

// Where value `index` lies, in bits.
std::uint64_t bit_of(const Layout& layout, DType dtype, std::uint64_t index) {
  const std::int64_t element = bit_offset_of(layout, index / dtype.lanes);
  return kSomewhere * 8 + static_cast<std::uint64_t>(element) + index % dtype.lanes * dtype.bits;
}

void check(const Layout& layout, DType dtype) {
  const MemoryOrder order(layout, dtype, kSomewhere);
  const std::uint64_t values = validate(layout)->elements * dtype.lanes;
  REQUIRE(order.values() == values);
  // Lowest and highest index of the values of each place, by looking.
  std::vector<std::uint64_t> times(values, 0);
  std::uint64_t last_bit = 0;
  for (std::uint64_t place = 0; place < order.places(); ++place) {
    const std::uint64_t bit = order.base() * 8 + static_cast<std::uint64_t>(order.bits().at(place));
    const auto lowest = static_cast<std::uint64_t>(order.indices().at(place));
    REQUIRE(order.bits().at(place) >= 0);
    REQUIRE(bit_of(layout, dtype, lowest) == bit);
    REQUIRE(bit_of(layout, dtype, lowest + order.last_repeat()) == bit);
    ++times[lowest];
    if (order.bits().axes.size() == 1) REQUIRE(bit >= last_bit);  // one axis: straight through memory
    last_bit = bit;
  }
  REQUIRE(std::ranges::count(times, std::uint64_t{1}) == static_cast<std::ptrdiff_t>(order.places()));
}

}  // namespace

TEST_CASE("every place stands for the elements that lie there", "[core][elements]") {
  check(Layout::c_order({}, 32), {2, 32, 1});
  check(Layout::c_order({7}, 32), {2, 32, 1});
  check(Layout::c_order({3, 1, 4}, 4), {17, 4, 1});
  check(Layout::c_order({0, 4}, 8), {1, 8, 1});
  check(Layout::from_byte_strides({3, 4}, {0, 4}, 32), {2, 32, 1});
  check(Layout::from_byte_strides({5, 4}, {-16, -4}, 32), {2, 32, 1});
  std::mt19937 chance(7);
  for (int i = 0; i < 5000; ++i) {
    Layout layout = tests::random_layout(chance);
    check(layout, dtype_of(layout));
    if (layout.item_bits % 4 == 0) check(layout, {1, static_cast<std::uint8_t>(layout.item_bits / 4), 4});
  }
}

TEST_CASE("dense arrays are one run whatever the order and direction of their axes", "[core][elements]") {
  const Layout c = Layout::c_order({4, 5, 6}, 16);
  const std::vector<Layout> dense = {c,
                                     {{6, 5, 4}, {16, 96, 480}, 16},
                                     {{5, 4, 6}, {96, 480, 16}, 16},
                                     {{4, 5, 6}, {-480, 96, -16}, 16},
                                     {{4, 1, 5, 9, 6}, {480, 7, 96, 0, 16}, 16}};
  for (const Layout& layout : dense) {
    const MemoryOrder order(layout, dtype_of(layout), kSomewhere);
    REQUIRE(order.bits().axes.size() == 1);
    CHECK(order.bits().axes[0].step == 16);
    CHECK(order.places() == 120);
  }
  CHECK(MemoryOrder(dense.back(), dtype_of(c), kSomewhere).repeats() == 9);
}

TEST_CASE("a walk may be cut anywhere and go on", "[core][elements]") {
  std::mt19937 chance(11);
  for (int i = 0; i < 2000; ++i) {
    const Layout layout = tests::random_layout(chance);
    const MemoryOrder order(layout, dtype_of(layout), kSomewhere);
    for (const AffineAxes* axes : {&order.bits(), &order.indices()}) {
      std::uint64_t place = 0;
      while (place < order.places()) {
        const std::uint64_t to = std::min<std::uint64_t>(order.places(), place + 1 + chance() % 40);
        AffineCursor cursor(*axes, place, to);
        for (AffineRun run; cursor.next(run, 1 + chance() % 5);) {
          REQUIRE(run.place == place);
          REQUIRE(run.count > 0);
          for (std::uint64_t k = 0; k < run.count; ++k, ++place) {
            REQUIRE(run.first + run.step * static_cast<std::int64_t>(k) == axes->at(place));
          }
        }
        REQUIRE(place == to);
      }
    }
  }
}

}  // namespace dlscope::core
