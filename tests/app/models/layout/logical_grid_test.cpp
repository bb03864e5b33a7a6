#include "app/models/layout/logical_grid.h"

#include <catch2/catch_test_macros.hpp>

#include <array>

#include "tests/support/layout_samples.h"

namespace dlscope::app {

TEST_CASE("A scalar is one cell, a vector a row", "[app][models][layout]") {
  const core::Layout scalar = core::Layout::c_order({}, 64), vector = core::Layout::c_order({5}, 64);
  const AxisMapping none = default_mapping(0), one = default_mapping(1);
  const LogicalGrid point(scalar, none), row(vector, one);
  CHECK(point.rows() == 1);
  CHECK(point.columns() == 1);
  CHECK(point.element({0, 0}) == 0);
  CHECK(row.rows() == 1);
  CHECK(row.columns() == 5);
  CHECK(row.bit({0, 3}) == 192);
  CHECK(row.place_of(4) == GridPlace{0, 4});
}

TEST_CASE("Every cell of every slice is the element its index says", "[app][models][layout]") {
  std::mt19937 chance(11);
  for (int round = 0; round < 400; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    const int rank = static_cast<int>(layout.shape.size());
    if (rank < 2) continue;
    AxisMapping mapping = default_mapping(rank);
    mapping.row = static_cast<int>(chance() % static_cast<unsigned>(rank));
    mapping.column = (mapping.row + 1) % rank;
    const std::uint64_t elements = core::validate(layout)->elements;
    const std::uint64_t asked = chance() % elements;
    std::array<std::int64_t, core::kMaxRank> index{};
    core::unravel(layout, asked, {index.data(), layout.shape.size()});
    for (int d = 0; d < rank; ++d) mapping.fixed[static_cast<std::size_t>(d)] = index[static_cast<std::size_t>(d)];
    const LogicalGrid grid(layout, mapping);
    const GridPlace place{index[static_cast<std::size_t>(mapping.row)], index[static_cast<std::size_t>(mapping.column)]};
    INFO(core::describe(layout) << " element " << asked);
    REQUIRE(grid.element(place) == asked);
    REQUIRE(grid.bit(place) == core::bit_offset_of(layout, asked));
    REQUIRE(grid.place_of(asked) == place);
    for (std::uint64_t other = 0; other < elements; ++other) {
      const auto there = grid.place_of(other);
      if (there) REQUIRE(grid.element(*there) == other);
    }
  }
}

}  // namespace dlscope::app
