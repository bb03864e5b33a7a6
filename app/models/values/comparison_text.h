// What came of comparing two tensors' values, as a person reads it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/models/tensors/badges.h"
#include "core/compare/comparison.h"
#include "core/tensor/layout.h"

namespace dlscope::app {

struct ComparisonFigure {
  std::string label, value;
  std::optional<std::uint64_t> element;  // C-order number: where it is
  std::string meaning;                   // for a tooltip
};
struct ComparisonText {
  std::string verdict;
  Tone tone = Tone::plain;
  std::vector<ComparisonFigure> figures;
  std::optional<std::uint64_t> first;  // the element to go to: the first that differs, in value or else in bits
};
// layout: of A; its shape is that of both.
[[nodiscard]] ComparisonText comparison_text(const core::Comparison& found, core::LayoutView layout, core::Tolerance tolerance,
                                             std::string_view dtype_a, std::string_view dtype_b);

}  // namespace dlscope::app
