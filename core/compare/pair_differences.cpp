#include "core/compare/pair_differences.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/magnitude.h"

namespace dlscope::core {
namespace {

template <class Number>
bool has_nan(std::span<const Number> x) {
  return std::ranges::any_of(x, [](Number v) { return std::isnan(v); });
}
template <class Number>
bool is_finite(std::span<const Number> x) {
  return std::ranges::all_of(x, [](Number v) { return std::isfinite(v); });
}

// A number that is too large for a double is the largest one.
template <class Number>
double saturated(Number value) {
  constexpr auto kMost = static_cast<Number>(std::numeric_limits<double>::max());
  return static_cast<double>(std::clamp(value, -kMost, kMost));
}

// How far apart two numbers are. Equal infinities of complex parts are not apart; their difference would be NaN.
template <class Number>
Number apart(Number x, Number y) {
  return x == y ? Number{0} : std::abs(x - y);
}

}  // namespace

PairDifferences::PairDifferences(DType a, DType b, DifferenceKind kind)
    : a_(a), b_(b), kind_(kind), same_dtype_(a_.dtype() == b_.dtype()) {}

bool PairDifferences::same_bits(const std::byte* a, const std::byte* b, std::uint64_t count) const {
  return same_dtype_ && std::memcmp(a, b, count * a_.bytes()) == 0;
}

void PairDifferences::work_out(const std::byte* a, const std::byte* b, std::uint32_t count) {
  differences_.assign(count, 0);
  unequal_.assign(count, 0);
  if (a_.is_wide() || b_.is_wide())
    subtract(a, b, count, wide_a_, wide_b_);  // holds 64-bit integers and doubles exactly
  else
    subtract(a, b, count, doubles_a_, doubles_b_);
}

template <class Number>
void PairDifferences::subtract(const std::byte* a, const std::byte* b, std::uint32_t count, std::vector<Number>& x,
                               std::vector<Number>& y) {
  const std::size_t parts = a_.is_complex() || b_.is_complex() ? 2 : 1;
  a_.read(a, count, parts, x);
  b_.read(b, count, parts, y);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (parts == 1 && x[i] == y[i]) continue;
    const auto of_a = std::span<const Number>(x).subspan(i * parts, parts), of_b = std::span<const Number>(y).subspan(i * parts, parts);
    if (std::ranges::equal(of_a, of_b) || (has_nan(of_a) && has_nan(of_b))) continue;
    unequal_[i] = 1;
    differences_[i] = difference(of_a, of_b);
  }
}

// Of values that are not equal.
template <class Number>
double PairDifferences::difference(std::span<const Number> x, std::span<const Number> y) const {
  if (kind_ == DifferenceKind::unequal) return 1;
  if (has_nan(x) || has_nan(y)) return std::numeric_limits<double>::quiet_NaN();
  const bool finite = is_finite(x) && is_finite(y);
  const bool is_complex = x.size() == 2;
  Number size = is_complex ? magnitude(apart(x[0], y[0]), apart(x[1], y[1])) : apart(x[0], y[0]);
  if (kind_ == DifferenceKind::relative) {
    const Number of = is_complex ? magnitude(y[0], y[1]) : std::abs(y[0]);
    if (of == 0 || !finite) return std::numeric_limits<double>::infinity();
    // Scaled, where the distance itself is too large for a number.
    const Number parts = std::isinf(size) ? apart(x[0] / of, y[0] / of) : size / of;
    return saturated(parts);
  }
  if (kind_ == DifferenceKind::difference && !is_complex) size = x[0] < y[0] ? -size : size;
  return finite ? saturated(size) : static_cast<double>(size);
}

}  // namespace dlscope::core
