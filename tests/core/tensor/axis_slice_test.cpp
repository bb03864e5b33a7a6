// Slices against Python's own rules, element by element: slice.indices() as its documentation gives it.
#include "core/tensor/axis_slice.h"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <optional>
#include <random>

namespace dlscope::core {
namespace {

using Bound = std::optional<std::int64_t>;

std::vector<std::int64_t> indices_by_python(std::int64_t size, Bound start, Bound stop, std::int64_t step) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  const std::int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
  const auto bound = [&](Bound given, std::int64_t otherwise) {
    if (!given) return otherwise;
    std::int64_t value = *given;
    if (value < 0) {
      value += size;
      return value < low ? low : value;
    }
    return value > high ? high : value;
  };
  const std::int64_t first = bound(start, step < 0 ? high : low), end = bound(stop, step < 0 ? low : high);
  std::vector<std::int64_t> out;
  for (std::int64_t at = first; step < 0 ? at > end : at < end; at += step) out.push_back(all.at(static_cast<std::size_t>(at)));
  return out;
}

std::string text_of(Bound bound) { return bound ? std::to_string(*bound) : std::string(); }

// The offset in bits of every element, in C order.
std::vector<std::int64_t> offsets(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                                  std::int64_t first) {
  std::vector<std::int64_t> out{first};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<std::int64_t> next;
    for (const std::int64_t offset : out) {
      for (std::int64_t i = 0; i < shape[axis]; ++i) next.push_back(offset + i * strides[axis]);
    }
    out = std::move(next);
  }
  return out;
}

TEST_CASE("a slice has the elements that Python's has, and is written so that Python reads the same", "[core][tensor]") {
  std::mt19937 random(20261124);
  const auto below = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)); };
  for (int round = 0; round < 4000; ++round) {
    const std::size_t rank = 1 + random() % 4;
    std::vector<std::int64_t> shape(rank), strides(rank), expected{0};
    std::string text;
    std::size_t kept = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      shape[axis] = below(7);
      strides[axis] = 8 * (below(41) - 20);
      std::vector<std::int64_t> taken;
      if (shape[axis] > 0 && random() % 4 == 0) {
        const std::int64_t index = below(2 * shape[axis]) - shape[axis];
        text += fmt::format("{}{}", axis == 0 ? "" : ", ", index);
        taken = {index < 0 ? index + shape[axis] : index};
      } else {
        const auto bound = [&]() -> Bound { return random() % 3 == 0 ? Bound() : Bound(below(20) - 10); };
        const Bound start = bound(), stop = bound();
        const std::int64_t step = random() % 3 == 0 ? 1 : below(2) == 0 ? 1 + below(4) : -1 - below(4);
        const std::string with_step = step == 1 && random() % 2 == 0 ? "" : fmt::format(":{}", step);
        text += fmt::format("{}{}:{}{}", axis == 0 ? "" : ",", text_of(start), text_of(stop), with_step);
        taken = indices_by_python(shape[axis], start, stop, step);
        ++kept;
      }
      std::vector<std::int64_t> next;
      for (const std::int64_t offset : expected) {
        for (const std::int64_t index : taken) next.push_back(offset + index * strides[axis]);
      }
      expected = std::move(next);
    }
    INFO("x[" << text << "] of rank " << rank << ", round " << round);
    const auto slice = read_slice(text, shape);
    REQUIRE(slice);
    const LayoutView whole{shape, strides, 8};
    const auto sliced = slice_layout(whole, *slice);
    REQUIRE(sliced);
    REQUIRE(sliced->shape.size() == kept);
    REQUIRE(offsets(sliced->shape, sliced->stride_bits, sliced->offset_bits) == expected);

    const std::string written = slice_expression("x", shape, *slice);
    INFO(written);
    const auto again = read_slice(written == "x" ? "" : written.substr(1), shape);
    REQUIRE(again);
    const auto same = slice_layout(whole, *again);
    REQUIRE(same);
    REQUIRE(same->shape == sliced->shape);
    REQUIRE(offsets(same->shape, same->stride_bits, same->offset_bits) == expected);
  }
}

TEST_CASE("slices are written as a person would", "[core][tensor]") {
  const std::vector<std::int64_t> shape{4, 6, 3};
  const auto written = [&](std::string_view text) {
    const auto slice = read_slice(text, shape);
    REQUIRE(slice);
    return slice_expression("x", shape, *slice);
  };
  CHECK(written("1:3, ::2") == "x[1:3, ::2]");
  CHECK(written("0:4, :, 0:3") == "x");
  CHECK(written("") == "x");
  CHECK(written("[..., -1]") == "x[:, :, 2]");
  CHECK(written("1") == "x[1]");
  CHECK(written("::-1, 4:0:-2") == "x[::-1, 4:1:-2]");
  CHECK(written("2:2") == "x[0:0]");
  CHECK(written("3:") == "x[3:]");
}

TEST_CASE("what is no slice is refused in words", "[core][tensor]") {
  const std::vector<std::int64_t> shape{4, 6};
  const auto refused = [&](std::string_view text) {
    const auto slice = read_slice(text, shape);
    REQUIRE_FALSE(slice);
    return slice.error().message;
  };
  CHECK(refused("4") == "index 4 is outside axis 0, which has 4");
  CHECK(refused("1, 2, 3") == "there are 3 indices for 2 axes");
  CHECK(refused("..., ...") == "there is more than one “...”");
  CHECK(refused("::0") == "a step of 0 is no step");
  CHECK(refused("a:") == "“a” is not a whole number");
  CHECK(refused("1:2:3:4") == "“1:2:3:4” has more than two colons");
  CHECK(refused(",") == "“” is not a whole number");
  CHECK(refused("99999999999999999999") == "“99999999999999999999” is not a whole number");

  const std::vector<std::int64_t> strides{48, 8};
  const LayoutView whole{shape, strides, 8};
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(), kLeast = std::numeric_limits<std::int64_t>::min();
  for (const AxisSlice& wrong : {AxisSlice{2, 0, 1, 1}, AxisSlice{0, 4, 1, 1}, AxisSlice{0, 3, 2, 1}, AxisSlice{0, 0, 2, -1},
                                 AxisSlice{0, 0, 2, 0}, AxisSlice{0, -1, 1, 1}, AxisSlice{0, 1, kMost, kMost},
                                 AxisSlice{0, 1, 2, kLeast}, AxisSlice{0, kMost, 0, 1}, AxisSlice{0, 0, -1, 1}})
    CHECK_FALSE(slice_layout(whole, std::vector{wrong}));
  CHECK_FALSE(slice_layout(whole, std::vector{AxisSlice{0, 0, 1, 1}, AxisSlice{0, 1, 1, 1}}));
}

}  // namespace
}  // namespace dlscope::core
