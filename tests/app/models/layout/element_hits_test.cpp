#include "app/models/layout/element_hits.h"

#include <catch2/catch_test_macros.hpp>

#include <vector>

#include "tests/support/layout_samples.h"

namespace dlscope::app {
namespace {

Hits by_hand(const core::Layout& layout, std::int64_t begin, std::int64_t end) {
  Hits hits;
  const auto starts = tests::starts_of(layout);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] >= end || starts[i] + layout.item_bits <= begin) continue;
    hits.count = *hits.count + 1;
    if (!hits.element) hits.element = i;
  }
  return hits;
}

ElementHits hits_of(const core::Layout& layout) { return {layout, *core::validate(layout)}; }

}  // namespace

TEST_CASE("Elements that touch some bits are found as looking at each of them finds them", "[app][models][layout]") {
  std::mt19937 chance(20261121);
  for (int round = 0; round < 1500; ++round) {
    const core::Layout layout = tests::random_layout(chance);
    const core::LayoutBounds bounds = *core::validate(layout);
    const ElementHits hits = hits_of(layout);
    for (int question = 0; question < 12; ++question) {
      const std::int64_t span = bounds.highest_bit - bounds.lowest_bit + 16;
      const std::int64_t begin = bounds.lowest_bit - 8 + static_cast<std::int64_t>(chance() % static_cast<unsigned>(span));
      const std::int64_t end = begin + 1 + static_cast<std::int64_t>(chance() % (question % 2 == 0 ? 8U : 200U));
      std::uint64_t steps = 100'000;
      const Hits found = hits.touching(begin, end, steps), expected = by_hand(layout, begin, end);
      INFO(core::describe(layout) << ", bits " << begin << " to " << end);
      REQUIRE(found.count == expected.count);
      REQUIRE(found.element == expected.element);
    }
  }
}

TEST_CASE("Nothing touches anything when there are no elements", "[app][models][layout]") {
  std::uint64_t steps = 10;
  const Hits hits = hits_of(core::Layout::c_order({3, 0, 2}, 32)).touching(-100, 100, steps);
  CHECK(hits.count == 0);
  CHECK_FALSE(hits.element.has_value());
}

TEST_CASE("A dense tensor of 1e12 elements answers in a few steps", "[app][models][layout]") {
  const ElementHits hits = hits_of(core::Layout::c_order({1'000'000, 1000, 1000}, 32));
  std::uint64_t steps = 100;
  const Hits one = hits.touching(32 * 999'999'999'999, 32 * 1'000'000'000'000, steps);
  CHECK(one.count == 1);
  CHECK(one.element == 999'999'999'999);
  const Hits many = hits.touching(32 * 1'500'500, 32 * 700'000'000'123, steps);
  CHECK(many.count == 700'000'000'123 - 1'500'500);
  CHECK(many.element == 1'500'500);
}

TEST_CASE("A question that is too hard says so", "[app][models][layout]") {
  // Windows over windows: each bit is reached in very many ways.
  const ElementHits hits = hits_of(core::Layout::from_element_strides({500, 500, 500, 500}, {1, 3, 7, 11}, 32));
  std::uint64_t steps = 50;
  const Hits found = hits.touching(32 * 4000, 32 * 4001, steps);
  CHECK(steps == 0);
  CHECK_FALSE(found.count.has_value());
}

}  // namespace dlscope::app
