// The result of comparing two tensors' values, as text. No I/O.
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
  std::optional<std::uint64_t> element;  // where it is: a C-order number
  std::string meaning;                   // for a tooltip
};
struct ComparisonText {
  std::string verdict;
  Tone tone = Tone::plain;
  std::vector<ComparisonFigure> figures;
  std::optional<std::uint64_t> first;  // the first element that differs, in value or else in bits
};
// layout: of A; both have its shape.
[[nodiscard]] ComparisonText comparison_text(const core::Comparison& found, core::LayoutView layout, core::Tolerance tolerance,
                                             std::string_view dtype_a, std::string_view dtype_b);

}  // namespace dlscope::app
