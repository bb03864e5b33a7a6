// The result of comparing two tensors' values, as text. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/models/tensors/badges.h"
#include "core/compare/comparison.h"
#include "core/tensor/layout.h"
#include "core/tensor/sign_bits.h"

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
// One of the two that were compared.
struct ComparedType {
  std::string_view dtype;
  core::SignBits signs = {};
};
// layout: of A; both have its shape.
[[nodiscard]] ComparisonText comparison_text(const core::Comparison& found, core::LayoutView layout, core::Tolerance tolerance,
                                             const ComparedType& a, const ComparedType& b);

}  // namespace dlscope::app
