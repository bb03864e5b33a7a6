#include "app/models/layout/axis_facts.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

#include "tests/support/layout_samples.h"

namespace dlscope::app {
namespace {

std::vector<std::string> words_of(const core::Layout& layout) {
  std::vector<std::string> out;
  for (const AxisFact& fact : axis_facts(layout)) out.push_back(fact.message);
  return out;
}

// Whether element k of the given order lies at k times the item, for all k.
bool dense_by_hand(const core::Layout& layout, Order order) {
  core::Layout turned = layout;
  if (order == Order::f) {
    std::ranges::reverse(turned.shape);
    std::ranges::reverse(turned.stride_bits);
  }
  const auto starts = tests::starts_of(turned);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] != static_cast<std::int64_t>(i) * layout.item_bits) return false;
  }
  return true;
}

// All bits that `layout` touches when only the axes in `axes` move.
std::set<std::int64_t> bits_of(const core::Layout& layout, const std::vector<int>& axes) {
  core::Layout part{{}, {}, layout.item_bits};
  for (const int axis : axes) {
    part.shape.push_back(layout.shape[static_cast<std::size_t>(axis)]);
    part.stride_bits.push_back(layout.stride_bits[static_cast<std::size_t>(axis)]);
  }
  std::set<std::int64_t> bits;
  for (const std::int64_t start : tests::starts_of(part)) {
    for (std::int64_t b = 0; b < layout.item_bits; ++b) bits.insert(start + b);
  }
  return bits;
}

}  // namespace

TEST_CASE("Axes are said in plain words", "[app][models][layout]") {
  using core::Layout;
  CHECK(words_of(Layout::c_order({}, 32)).empty());
  CHECK(words_of(Layout::c_order({3, 4}, 32)) ==
        std::vector<std::string>{"step 16 B, right after each run of axis 1", "step 4 B, contiguous"});
  CHECK(words_of(Layout::from_element_strides({4, 3}, {0, 1}, 32)) ==
        std::vector<std::string>{"stride 0, the same row repeated 4 times", "step 4 B, contiguous"});
  CHECK(words_of(Layout::from_element_strides({3, 1}, {-2, 9}, 32)) ==
        std::vector<std::string>{"runs backwards: step -8 B, skips 4 B after each element", "size 1: its stride is never used"});
  CHECK(words_of(Layout::from_element_strides({3, 4}, {12, 2}, 32)) ==
        std::vector<std::string>{"step 48 B, skips 20 B after each run of axis 1", "step 8 B, skips 4 B after each element"});
  CHECK(words_of(Layout::from_element_strides({3, 4}, {8, 2}, 32))[0] == "step 32 B, one whole run of axis 1");
  CHECK(words_of(Layout::from_element_strides({3, 4}, {1, 1}, 32)) ==
        std::vector<std::string>{"step 4 B, into what axis 1 covers: overlapping or interleaved", "step 4 B, contiguous"});
  CHECK(words_of(Layout::from_byte_strides({3}, {2}, 32))[0] == "step 2 B, shorter than an element (4 B): neighbours share bits");
  CHECK(words_of(Layout::c_order({3, 0}, 32)) ==
        std::vector<std::string>{"its stride is never used: there are no elements", "size 0: there is nothing along it"});
  CHECK(axis_facts(Layout::from_byte_strides({3}, {10}, 32))[0].elements == "no whole");
  CHECK(axis_facts(Layout::c_order({2, 3}, 4))[0].bytes == "12 bit");
}

TEST_CASE("The verdict names the axis to blame", "[app][models][layout]") {
  using core::Layout;
  const Layout columns = Layout::from_element_strides({3, 6}, {12, 1}, 32);
  CHECK(order_verdict(columns, Order::c).message == "not C-contiguous: axis 0 steps 12 elements where 6 would be dense");
  CHECK(order_verdict(columns, Order::f).message == "not F-contiguous: axis 0 steps 12 elements where 1 would be dense");
  CHECK(axis_facts(columns)[0].breaks_c);
  const Layout turned = Layout::from_element_strides({4, 3}, {1, 4}, 32);
  CHECK(order_verdict(turned, Order::c).axis == 1);
  CHECK(order_verdict(turned, Order::f).holds);
  CHECK(order_verdict(turned, Order::f).message == "F-contiguous: dense, the first axis runs fastest");
  CHECK(order_verdict(Layout::from_element_strides({4}, {-1}, 32), Order::c).message ==
        "not C-contiguous: axis 0 runs backwards");
  CHECK(order_verdict(Layout::from_element_strides({4}, {0}, 32), Order::c).message ==
        "not C-contiguous: axis 0 has stride 0 and repeats itself");
  CHECK(order_verdict(Layout::from_byte_strides({4}, {10}, 32), Order::c).message ==
        "not C-contiguous: axis 0 steps 10 B where 4 B would be dense");
  CHECK(order_verdict(Layout::c_order({2, 0}, 32), Order::f).message == "F-contiguous: there are no elements");
  CHECK(order_verdict(Layout::c_order({1, 1}, 32), Order::c).message == "C-contiguous: one element");
}

TEST_CASE("Verdicts agree with looking at every element", "[app][models][layout]") {
  std::mt19937 chance(3);
  int dense = 0;
  for (int round = 0; round < 3000; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    INFO(core::describe(layout));
    for (const Order order : {Order::c, Order::f}) {
      const OrderVerdict verdict = order_verdict(layout, order);
      REQUIRE(verdict.holds == dense_by_hand(layout, order));
      REQUIRE(verdict.axis.has_value() == !verdict.holds);
      dense += verdict.holds ? 1 : 0;
    }
    REQUIRE(order_verdict(layout, Order::c).axis == core::axis_breaking_c_order(layout));
  }
  CHECK(dense > 300);
}

TEST_CASE("What is said of an axis is true of the bits it reaches", "[app][models][layout]") {
  std::mt19937 chance(5);
  int gaps = 0, denses = 0, insides = 0;
  for (int round = 0; round < 2000; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    INFO(core::describe(layout));
    const auto facts = axis_facts(layout);
    for (const AxisFact& fact : facts) {
      if (fact.step == AxisStep::unused) REQUIRE(fact.size == 1);
      if (fact.step == AxisStep::repeats) REQUIRE((fact.stride_bits == 0 && fact.size > 1));
      std::vector<int> faster;  // what it is measured against
      for (int axis = fact.after; axis >= 0; axis = facts[static_cast<std::size_t>(axis)].after) faster.push_back(axis);
      const std::set<std::int64_t> block = bits_of(layout, faster);
      const std::int64_t step = std::abs(fact.stride_bits);
      const std::int64_t clearance =
          step - (*block.rbegin() + 1 - *block.begin());  // from one block's end to the next one's start
      switch (fact.step) {
        case AxisStep::dense:
          REQUIRE(clearance == 0);
          ++denses;
          break;
        case AxisStep::gap:
          REQUIRE(clearance == fact.gap_bits);
          REQUIRE(fact.gap_bits > 0);
          ++gaps;
          break;
        case AxisStep::inside:
          REQUIRE(clearance < 0);
          ++insides;
          break;
        case AxisStep::follows: {
          const AxisFact& before = facts[static_cast<std::size_t>(fact.after)];
          REQUIRE(step == std::abs(before.stride_bits) * before.size);
          break;
        }
        default:
          break;
      }
    }
  }
  CHECK(denses > 100);
  CHECK(gaps > 100);
  CHECK(insides > 100);
}

}  // namespace dlscope::app
