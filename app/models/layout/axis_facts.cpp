#include "app/models/layout/axis_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "app/models/text/format.h"

namespace dlscope::app {
namespace {

bool has_no_elements(core::LayoutView layout) { return std::ranges::find(layout.shape, 0) != layout.shape.end(); }

std::string in_elements(std::int64_t bits, std::int64_t item) {
  if (core::is_capped(bits)) return "too many";
  return bits % item == 0 ? fmt::format("{}", bits / item) : "no whole";
}

// What an index of an axis with stride 0 repeats.
const char* repeated_thing(int rank, int axis) {
  if (rank == 1) return "element";
  if (rank == 2) return axis == 0 ? "row" : "column";
  return "part";
}

// The axes whose strides matter, shortest stride first.
std::vector<std::size_t> fastest_first(core::LayoutView layout) {
  std::vector<std::size_t> axes;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] > 1 && layout.stride_bits[d] != 0) axes.push_back(d);
  }
  std::ranges::stable_sort(axes, {}, [&](std::size_t d) { return std::abs(layout.stride_bits[d]); });
  return axes;
}

void judge_steps(core::LayoutView layout, std::vector<AxisFact>& facts) {
  std::int64_t span = layout.item_bits;  // what the faster axes cover, holes included
  std::int64_t run = layout.item_bits;   // the stride that would be dense for the next axis
  int after = -1;
  for (const std::size_t d : fastest_first(layout)) {
    AxisFact& fact = facts[d];
    const std::int64_t step = std::abs(fact.stride_bits);
    fact.after = after;
    if (step == span) {
      fact.step = AxisStep::dense;
    } else if (step == run) {
      fact.step = AxisStep::follows;
    } else if (step > span) {
      fact.step = AxisStep::gap;
      fact.gap_bits = step - span;
    } else {
      fact.step = AxisStep::inside;
    }
    span += step * (fact.size - 1);  // cannot overflow: the layout is validated
    // The product for the slowest axis may overflow; then there is no dense stride beyond it.
    if (__builtin_mul_overflow(step, fact.size, &run)) run = -1;
    after = static_cast<int>(d);
  }
}

std::string step_text(const AxisFact& fact, core::LayoutView layout) {
  const std::string before = fact.backwards ? "runs backwards: " : "";
  const std::string step = before + "step " + distance_text(fact.stride_bits);
  const bool fastest = fact.after < 0;
  switch (fact.step) {
    case AxisStep::no_elements:
      return fact.size == 0 ? "size 0: there is nothing along it" : "its stride is never used: there are no elements";
    case AxisStep::unused:
      return "size 1: its stride is never used";
    case AxisStep::repeats:
      return fmt::format("stride 0, the same {} repeated {} times", repeated_thing(layout.rank(), fact.axis),
                         grouped(static_cast<std::uint64_t>(fact.size)));
    case AxisStep::dense:
      return fastest ? step + ", contiguous" : fmt::format("{}, right after each run of axis {}", step, fact.after);
    case AxisStep::follows:
      return fmt::format("{}, one whole run of axis {}", step, fact.after);
    case AxisStep::gap:
      return fastest ? fmt::format("{}, skips {} after each element", step, distance_text(fact.gap_bits))
                     : fmt::format("{}, skips {} after each run of axis {}", step, distance_text(fact.gap_bits), fact.after);
    case AxisStep::inside:
      return fastest
                 ? fmt::format("{}, shorter than an element ({}): neighbours share bits", step, distance_text(layout.item_bits))
                 : fmt::format("{}, into what axis {} covers: overlapping or interleaved", step, fact.after);
  }
  return step;
}

// The first axis whose stride is not the dense one, starting with the fastest axis of that order.
std::optional<std::size_t> breaking_axis(core::LayoutView layout, Order order, std::int64_t& expected) {
  expected = layout.item_bits;
  const std::size_t rank = layout.shape.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = order == Order::c ? rank - 1 - i : i;
    if (layout.shape[d] == 1) continue;
    if (layout.stride_bits[d] != expected) return d;
    expected *= layout.shape[d];
  }
  return std::nullopt;
}

std::string blame(core::LayoutView layout, std::size_t axis, std::int64_t expected) {
  const std::int64_t stride = layout.stride_bits[axis], item = layout.item_bits;
  if (stride == 0) return fmt::format("axis {} has stride 0 and repeats itself", axis);
  if (stride == -expected) return fmt::format("axis {} runs backwards", axis);
  if (stride % item == 0)
    return fmt::format(
        "axis {} steps {} where {} would be dense", axis,
        stride == item || stride == -item ? fmt::format("{} element", stride / item) : fmt::format("{} elements", stride / item),
        expected / item);
  return fmt::format("axis {} steps {} where {} would be dense", axis, distance_text(stride), distance_text(expected));
}

}  // namespace

std::vector<AxisFact> axis_facts(core::LayoutView layout) {
  std::vector<AxisFact> facts(layout.shape.size());
  const bool empty = has_no_elements(layout);
  for (std::size_t d = 0; d < facts.size(); ++d) {
    AxisFact& fact = facts[d];
    fact.axis = static_cast<int>(d);
    fact.size = layout.shape[d];
    fact.stride_bits = layout.stride_bits[d];
    fact.elements = in_elements(fact.stride_bits, layout.item_bits);
    fact.bytes = distance_text(fact.stride_bits);
    if (empty)
      fact.step = AxisStep::no_elements;
    else if (fact.size == 1)
      fact.step = AxisStep::unused;
    else if (fact.stride_bits == 0)
      fact.step = AxisStep::repeats;
    fact.backwards = !empty && fact.size > 1 && fact.stride_bits < 0;
  }
  if (!empty) judge_steps(layout, facts);
  for (AxisFact& fact : facts) fact.message = step_text(fact, layout);
  if (const auto c = order_verdict(layout, Order::c).axis) facts[static_cast<std::size_t>(*c)].breaks_c = true;
  if (const auto f = order_verdict(layout, Order::f).axis) facts[static_cast<std::size_t>(*f)].breaks_f = true;
  return facts;
}

OrderVerdict order_verdict(core::LayoutView layout, Order order) {
  const char* name = order == Order::c ? "C-contiguous" : "F-contiguous";
  if (has_no_elements(layout)) return {true, std::nullopt, fmt::format("{}: there are no elements", name)};
  std::int64_t expected = 0;
  const auto axis = breaking_axis(layout, order, expected);
  if (axis) return {false, static_cast<int>(*axis), fmt::format("not {}: {}", name, blame(layout, *axis, expected))};
  if (std::ranges::all_of(layout.shape, [](std::int64_t n) { return n == 1; }))
    return {true, std::nullopt, fmt::format("{}: one element", name)};
  return {true, std::nullopt, fmt::format("{}: dense, the {} axis runs fastest", name, order == Order::c ? "last" : "first")};
}

}  // namespace dlscope::app
