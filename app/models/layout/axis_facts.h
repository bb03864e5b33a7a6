// AxisFacts: what each axis of a layout does in memory, in numbers and in words, and whether the layout is row-major (C) or
// column-major (F), with the axis that breaks the order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/layout.h"

namespace dlscope::app {

// How an axis steps, relative to the axes with shorter steps ("faster" axes).
enum class AxisStep : std::uint8_t {
  no_elements,  // some axis has size 0
  unused,       // size 1
  repeats,      // stride 0: every index shows the same bytes
  dense,        // begins where the faster axes end; for the fastest: adjacent elements
  follows,      // steps over one whole run of the next faster axis and keeps its gaps
  gap,          // leaves a gap of `gap_bits` after what the faster axes cover
  inside,       // steps into what the faster axes (or the element itself) cover: overlapping or interleaved
};

struct AxisFact {
  int axis = 0;
  std::int64_t size = 0;
  std::int64_t stride_bits = 0;
  AxisStep step{};
  bool backwards = false;                   // a negative stride, on an axis whose stride matters
  std::int64_t gap_bits = 0;                // with step gap
  int after = -1;                           // the next faster axis; -1: this is the fastest
  bool breaks_c = false, breaks_f = false;  // this axis breaks the order
  std::string elements;                     // the stride in elements: "4"; "no whole": not a whole number
  std::string bytes;                        // "16 B", "4 bit"
  std::string message;                      // "step 16 B: one whole run of axis 1"
};

// The layout must be validated. Empty for rank 0.
[[nodiscard]] std::vector<AxisFact> axis_facts(core::LayoutView layout);

enum class Order : std::uint8_t { c, f };

struct OrderVerdict {
  bool holds = false;
  std::optional<int> axis;  // the axis that breaks it
  std::string message;      // "not C-contiguous: axis 0 steps 12 elements where 6 would be dense"
};

[[nodiscard]] OrderVerdict order_verdict(core::LayoutView layout, Order order);

}  // namespace dlscope::app
