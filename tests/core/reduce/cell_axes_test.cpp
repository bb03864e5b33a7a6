// Which cells a tensor has when its axes are mapped, and where they lie.
#include "core/reduce/cell_axes.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <random>

namespace dlscope::core {
namespace {

TEST_CASE("a scalar is one cell, an empty tensor none", "[core][reduce]") {
  const Layout scalar = Layout::c_order({}, 32), empty = Layout::c_order({0, 7}, 32);
  const auto one = count_cells(scalar, {});
  REQUIRE(one);
  CHECK((one->rows == 1 && one->columns == 1));
  const auto none = count_cells(empty, {.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}});
  REQUIRE(none);
  CHECK((none->rows == 0 && none->columns == 7));
  CHECK(check_window(*none, {}).has_value());
}

TEST_CASE("axes that do not exist, stand twice or are out of range are refused in words", "[core][reduce]") {
  const Layout layout = Layout::c_order({3, 4, 5}, 8);
  CHECK_FALSE(count_cells(layout, {.down = {3}, .across = {}, .reduced = {}, .at = {0, 0, 0}}));
  CHECK_FALSE(count_cells(layout, {.down = {1}, .across = {1}, .reduced = {}, .at = {0, 0, 0}}));
  CHECK_FALSE(count_cells(layout, {.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0, 5}}));
  CHECK_FALSE(count_cells(layout, {.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0, -1}}));
  CHECK_FALSE(count_cells(layout, {.down = {0}, .across = {1}, .reduced = {}, .at = {0, 0}}));
  const auto huge = count_cells(Layout::from_byte_strides({std::int64_t{1} << 40, std::int64_t{1} << 40}, {0, 0}, 8),
                                {.down = {0, 1}, .across = {}, .reduced = {}, .at = {0, 0}});
  CHECK_FALSE(huge);
  const CellCounts cells{12, 5};
  CHECK(check_window(cells, {0, 0, 12, 5, 3, 2}));
  CHECK_FALSE(check_window(cells, {1, 0, 12, 5, 3, 2}));
  CHECK_FALSE(check_window(cells, {-1, 0, 2, 5, 1, 1}));
  CHECK_FALSE(check_window(cells, {0, 0, 12, 5, 0, 1}));
  CHECK_FALSE(check_window(cells, {std::numeric_limits<std::int64_t>::max(), 0, 2, 5, 1, 1}));
}

TEST_CASE("any stretch of cells comes in pieces that are affine, in their order", "[core][reduce]") {
  std::mt19937 random(3);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 400; ++round) {
    Layout layout;
    std::vector<std::uint8_t> axes;
    for (std::uint8_t d = 0; d < 1 + below(4); ++d) {
      layout.shape.push_back(1 + below(5));
      layout.stride_bits.push_back((below(9) - 4) * 8);
      axes.push_back(d);
    }
    const CellLine line(layout, axes);
    const std::int64_t from = below(static_cast<int>(line.length())),
                       to = from + below(static_cast<int>(line.length() - from) + 1);
    std::int64_t cell = from;
    for (const AffineAxes& piece : line.pieces(from, to)) {
      std::uint64_t places = 1;
      for (const AffineAxes::Axis& axis : piece.axes) places *= axis.count;
      for (std::uint64_t i = 0; i < places; ++i, ++cell) {
        std::int64_t bit = 0, rest = cell;
        for (std::size_t d = axes.size(); d-- > 0;) {
          bit += rest % layout.shape[d] * layout.stride_bits[d];
          rest /= layout.shape[d];
        }
        REQUIRE(line.bit(cell) == bit);
        REQUIRE(piece.at(i) == bit);
      }
    }
    CHECK(cell == to);
  }
}

}  // namespace
}  // namespace dlscope::core
