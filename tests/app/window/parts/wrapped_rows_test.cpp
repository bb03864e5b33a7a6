// Where rows of different height lie in a list of any length.
#include <catch2/catch_test_macros.hpp>

#include <random>
#include <vector>

#include "app/widgets/wrapped_rows.h"

namespace dlscope::app {

TEST_CASE("an empty list has no height, and any place in it is its end", "[widgets]") {
  WrappedRows rows(2);
  CHECK(rows.height(10, 4) == 0);
  CHECK(rows.at(0, 10, 4).row == 0);
  rows.show(0, 100, nullptr);
  CHECK(rows.at(50, 10, 4).row == 0);
}

TEST_CASE("rows count as the least until they were measured, and anew in another list or width", "[widgets]") {
  const int list = 0, other = 0;
  WrappedRows rows(2);
  rows.show(5, 100, &list);
  CHECK(rows.height(10, 4) == 5 * 24);
  rows.measured(1, 6);
  CHECK(rows.height(10, 4) == 5 * 24 + 40);
  rows.measured(1, 1);  // never less than the least
  CHECK(rows.lines_of(1) == 2);
  rows.measured(2, 9999);
  CHECK(rows.lines_of(2) == 255);
  rows.show(5, 100, &list);
  CHECK(rows.lines_of(2) == 255);
  rows.show(5, 90, &list);
  CHECK(rows.height(10, 4) == 5 * 24);
  rows.measured(0, 3);
  rows.show(5, 90, &other);
  CHECK(rows.lines_of(0) == 2);
}

TEST_CASE("a place is found as by adding up the rows above it", "[widgets]") {
  std::mt19937 random(3);
  WrappedRows rows(2);
  rows.show(200, 100, nullptr);
  for (std::size_t row = 0; row < 200; row += 1 + random() % 3) rows.measured(row, 1 + random() % 8);
  float top = 0;
  for (std::size_t row = 0; row < 200; ++row) {
    const float height = static_cast<float>(rows.lines_of(row)) * 16 + 4;
    for (const float y : {top, top + height / 2, top + height - 1}) {
      CHECK(rows.at(y, 16, 4).row == row);
      CHECK(rows.at(y, 16, 4).top == top);
    }
    top += height;
  }
  CHECK(rows.height(16, 4) == top);
  CHECK(rows.at(top, 16, 4).row == 200);
  CHECK(rows.at(top + 1000, 16, 4).top == top);
}

}  // namespace dlscope::app
