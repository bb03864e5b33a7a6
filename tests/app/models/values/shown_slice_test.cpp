// What the values view shows or has selected, as a slice: the same elements, cell by cell.
#include "app/models/values/shown_slice.h"

#include <catch2/catch_test_macros.hpp>

namespace dlscope::app {
namespace {

// C-order numbers of the elements of a slice, in C order.
std::vector<std::uint64_t> elements_of(core::LayoutView whole, const std::vector<core::AxisSlice>& slice) {
  std::vector<std::int64_t> numbers(whole.shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = whole.shape.size(); axis-- > 0; stride *= whole.shape[axis]) numbers[axis] = stride;
  const core::LayoutView counting{whole.shape, numbers, 1};
  const auto sliced = core::slice_layout(counting, slice);
  REQUIRE(sliced);
  std::vector<std::uint64_t> out{static_cast<std::uint64_t>(sliced->offset_bits)};
  for (std::size_t axis = 0; axis < sliced->shape.size(); ++axis) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t at : out) {
      for (std::int64_t i = 0; i < sliced->shape[axis]; ++i)
        next.push_back(at + static_cast<std::uint64_t>(i * sliced->stride_bits[axis]));
    }
    out = std::move(next);
  }
  return out;
}

TEST_CASE("selected cells are the slice that has their elements, whichever axes run down and across", "[app][models]") {
  const std::vector<std::int64_t> shape{3, 4, 5}, strides{640, 160, 32};
  const core::LayoutView layout{shape, strides, 32};
  for (const AxisMapping& mapping :
       {AxisMapping{1, 2, {2, 0, 0}, 0}, AxisMapping{0, 2, {0, 3, 0}, 0}, AxisMapping{0, 1, {0, 0, 4}, 0}}) {
    const CellRange cells{{2, 1}, {1, 3}};  // selected upwards
    std::vector<std::uint64_t> expected;
    for (std::uint64_t row = 1; row <= 2; ++row) {
      for (std::uint64_t column = 1; column <= 3; ++column) {
        std::int64_t index[3];
        for (int axis = 0; axis < 3; ++axis) index[axis] = mapping.fixed[static_cast<std::size_t>(axis)];
        index[mapping.row] = static_cast<std::int64_t>(row);
        index[mapping.column] = static_cast<std::int64_t>(column);
        expected.push_back(static_cast<std::uint64_t>((index[0] * 4 + index[1]) * 5 + index[2]));
      }
    }
    CHECK(elements_of(layout, shown_slice(layout, mapping, cells)) == expected);
  }
}

TEST_CASE("cells of a vector in several rows are the elements from the first to the last", "[app][models]") {
  const std::vector<std::int64_t> shape{23}, strides{32};
  const core::LayoutView layout{shape, strides, 32};
  AxisMapping mapping = default_mapping(1);
  mapping.wrap = 10;
  const auto slice = shown_slice(layout, mapping, {{0, 7}, {2, 1}});
  CHECK(core::slice_expression("x", shape, slice) == "x[7:22]");
}

TEST_CASE("cells of a slice that is shown are a slice of the tensor", "[app][models]") {
  const std::vector<std::int64_t> shape{40, 5, 2}, strides{320, 64, 32};
  const core::LayoutView layout{shape, strides, 32};
  const auto slice = core::read_slice("[2:40:3, ::-1, 0]", shape);
  REQUIRE(slice);
  const AxisMapping mapping = mapping_of_slice(default_mapping(3), 3, *slice);
  CHECK((mapping.row == 0 && mapping.column == 1));  // the last axis has one index only
  CHECK(core::slice_expression("x", shape, shown_slice(layout, mapping, {{1, 1}, {3, 2}})) == "x[5:12:3, 3:1:-1, 0]");
  CHECK(elements_of(layout, shown_slice(layout, mapping, {{0, 0}, {12, 4}})) == elements_of(layout, *slice));
  const AxisMapping one = mapping_of_slice(default_mapping(2), 2, *core::read_slice("1", std::vector<std::int64_t>{4, 6}));
  CHECK((one.row == 0 && one.column == 1));
  const AxisMapping kept = mapping_of_slice({.row = 2, .column = 0, .fixed = {0, 3, 0}, .wrap = 0}, 3, {{1, 1, 2, 1}});
  CHECK((kept.row == 2 && kept.column == 0 && kept.fixed[1] == 0));
}

}  // namespace
}  // namespace dlscope::app
