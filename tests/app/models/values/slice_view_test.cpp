// A slice of a tensor in the values view: its elements against a walk over all indices, its numbers in both directions, its table.
#include "app/models/values/slice_view.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/models/values/chosen_slices.h"
#include "app/models/values/kept_values.h"
#include "app/models/values/value_grid.h"
#include "tests/support/local_tensor.h"

namespace dlscope::app {
namespace {

using core::AxisSlice;

struct Rng {
  std::mt19937 engine{12};
  std::int64_t operator()(std::int64_t from, std::int64_t to) { return std::uniform_int_distribution(from, to)(engine); }
};

std::string random_slice(Rng& rng, std::int64_t size) {
  if (size > 0 && rng(0, 3) == 0) return std::to_string(rng(-size, size - 1));
  const auto bound = [&] { return rng(0, 2) == 0 ? std::string() : std::to_string(rng(-size - 2, size + 2)); };
  std::string text = bound() + ":" + bound();
  if (const std::int64_t step = rng(-3, 3); step != 0) text += ":" + std::to_string(step);
  return text;
}

// The C-order numbers of the slice's elements, by Python's own rules for one axis after the other.
std::vector<std::uint64_t> brute_force(const std::vector<std::int64_t>& shape, const std::vector<AxisSlice>& slice) {
  std::vector<std::uint64_t> numbers{0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    AxisSlice one{static_cast<std::uint32_t>(axis), 0, shape[axis], 1};
    for (const AxisSlice& each : slice) one = each.axis == axis ? each : one;
    std::vector<std::uint64_t> next;
    for (const std::uint64_t number : numbers) {
      for (std::int64_t i = 0; i < one.count; ++i)
        next.push_back(number * static_cast<std::uint64_t>(shape[axis]) + static_cast<std::uint64_t>(one.start + i * one.step));
    }
    numbers = std::move(next);
  }
  return numbers;
}

}  // namespace

TEST_CASE("a slice has the elements that a walk over its indices finds, and no others", "[app][models][values]") {
  Rng rng;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(rng(1, 4)));
    for (auto& size : shape) size = rng(1, 6);
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + random_slice(rng, size);
    INFO(text);
    const auto slice = core::read_slice(text, shape);
    REQUIRE(slice);
    const auto layout = core::Layout::c_order(shape, 32);
    const SliceView view(layout, *slice);
    const auto expected = brute_force(shape, *slice);
    REQUIRE(view.elements() == expected.size());
    std::vector<std::optional<std::uint64_t>> in_slice(
        static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies())));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(view.in_tensor(i) == expected[i]);
      in_slice[expected[i]] = i;
      // The same element by the view's own strides.
      const std::int64_t bit = view.offset_bits() + core::bit_offset_of(view.layout(), i);
      REQUIRE(bit == static_cast<std::int64_t>(expected[i]) * 32);
    }
    for (std::size_t i = 0; i < in_slice.size(); ++i) REQUIRE(view.in_slice(i) == in_slice[i]);
  }
}

TEST_CASE("the table of a slice shows its elements, names them as the tensor does and steps from one to the next",
          "[app][models][values]") {
  std::vector<std::int32_t> data(4 * 6);
  std::iota(data.begin(), data.end(), 100);
  const auto snapshot = tests::local_tensor(data.data(), {0, 32, 1}, core::Layout::c_order({4, 6}, 32));
  const auto slice = core::read_slice("3:0:-2, 1::2", std::vector<std::int64_t>{4, 6});
  REQUIRE(slice);
  AxisMapping mapping = default_mapping(2);
  mapping.slice = *slice;
  const ValueGrid grid(snapshot, 0, mapping);
  CHECK((grid.rows() == 2 && grid.columns() == 3));
  const auto reader = core::process_reader(0);
  std::vector<GridCell> cells;
  CHECK(grid.read(**reader, {0, 0, 2, 3}, cells).cells() == 6);
  std::string text;
  for (const GridCell& cell : cells) text += cell.text + " ";
  CHECK(text == "119 121 123 107 109 111 ");
  CHECK((grid.row_index(0) == 3 && grid.row_index(1) == 1 && grid.column_index(2) == 5));
  CHECK(grid.element(1, 2) == 11);
  CHECK(grid.place(11) == CellPlace{1, 2});
  CHECK_FALSE(grid.place(10));
  CHECK(grid.bytes(1, 2).begin == reinterpret_cast<core::Address>(&data[11]));
  CHECK(grid.stepped(11, FocusStep::up) == 23);
  CHECK(grid.stepped(11, FocusStep::down) == 11);
  CHECK(grid.stepped(11, FocusStep::leftmost) == 7);
}

TEST_CASE("a vector's slice is wrapped and labelled in steps of the tensor", "[app][models][values]") {
  std::vector<std::int32_t> data(50);
  std::iota(data.begin(), data.end(), 0);
  const auto snapshot = tests::local_tensor(data.data(), {0, 32, 1}, core::Layout::c_order({50}, 32));
  AxisMapping mapping = default_mapping(1);
  mapping.slice = *core::read_slice("40::-3", std::vector<std::int64_t>{50});
  mapping.wrap = 5;
  const ValueGrid grid(snapshot, 0, mapping);
  CHECK((grid.rows() == 3 && grid.columns() == 5));
  CHECK((grid.row_index(1) == 25 && grid.column_index(2) == -6));
  CHECK(grid.element(1, 2) == 19);
  CHECK(grid.place(19) == CellPlace{1, 2});
  CHECK_FALSE(grid.has(2, 4));
}

TEST_CASE("what is kept of a slice is found again by the tensor's element", "[app][models][values]") {
  std::vector<std::int32_t> data(4 * 6);
  std::iota(data.begin(), data.end(), 100);
  const auto snapshot = tests::local_tensor(data.data(), {0, 32, 1}, core::Layout::c_order({4, 6}, 32));
  AxisMapping mapping = default_mapping(2);
  mapping.slice = *core::read_slice("1::2, ::3", std::vector<std::int64_t>{4, 6});
  const ValueGrid grid(snapshot, 0, mapping);
  const auto reader = core::process_reader(0);
  CellBytes cells;
  grid.fetch(**reader, {0, 0, 2, 2}, cells);
  KeptValues kept;
  kept.keep(0, mapping, cells);
  CHECK(kept.of(0, mapping) != nullptr);
  CHECK(kept.of(0, default_mapping(2)) == nullptr);
  const auto found = kept.element(*snapshot, 0, 3 * 6 + 3);
  REQUIRE(found);
  CHECK(found->text == "121");
  CHECK_FALSE(kept.element(*snapshot, 0, 3 * 6 + 4));
}

TEST_CASE("a chosen slice is remembered by name, and wrong text loses nothing", "[app][models][values]") {
  ChosenSlices chosen;
  const std::vector<std::int64_t> shape{3, 4};
  CHECK_FALSE(chosen.of("x", shape).any());
  chosen.choose("x", "1:3, ::2", shape);
  CHECK(chosen.of("x", shape).axes == std::vector{AxisSlice{0, 1, 2, 1}, AxisSlice{1, 0, 2, 2}});
  CHECK_FALSE(chosen.of("y", shape).any());
  chosen.choose("x", "1:3, 7", shape);
  const ChosenSlice wrong = chosen.of("x", shape);
  CHECK(wrong.text == "1:3, 7");
  CHECK(wrong.axes.size() == 2);  // what was chosen before
  CHECK(wrong.problem == "“1:3, 7” is no slice of x, whose shape is (3, 4): index 7 is outside axis 1, which has 4. Correct it, or "
                         "clear it for all of the tensor.");
  // The tensor has another shape after a run: the slice is tried on that.
  CHECK(chosen.of("x", std::vector<std::int64_t>{3, 9}).problem.empty());
  CHECK(chosen.of("x", std::vector<std::int64_t>{3}).problem.find("there are 2 indices for 1 axes") != std::string::npos);
  CHECK_FALSE(chosen.of("x", std::vector<std::int64_t>{3}).any());
  chosen.choose("x", "", shape);
  CHECK(chosen.of("x", shape).text.empty());
  for (int i = 0; i < 100; ++i) chosen.choose("n" + std::to_string(i), "1", shape);
  CHECK_FALSE(chosen.of("n0", shape).any());
  CHECK(chosen.of("n99", shape).any());
  chosen.choose("long", std::string(5000, '1'), shape);
  CHECK(chosen.of("long", shape).text.size() == ChosenSlices::kMostBytes);
}

}  // namespace dlscope::app
