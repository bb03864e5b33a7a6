#include "core/compare/pair_differences.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/compare/number_distance.h"

namespace dlscope::core {
namespace {

template <class Number>
bool has_nan(std::span<const Number> x) {
  return std::ranges::any_of(x, [](Number v) { return std::isnan(v); });
}

}  // namespace

PairDifferences::PairDifferences(DType a, DType b, DifferenceKind kind)
    : a_(a), b_(b), kind_(kind), same_dtype_(a_.dtype() == b_.dtype()) {}

bool PairDifferences::same_bits(const std::byte* a, const std::byte* b, std::uint64_t count) const {
  return same_dtype_ && std::memcmp(a, b, count * a_.bytes()) == 0;
}

void PairDifferences::work_out(const std::byte* a, const std::byte* b, std::uint32_t count) {
  differences_.resize(count);
  unequal_.resize(count);
  if (a_.is_wide() || b_.is_wide())
    subtract(a, b, count, wide_a_, wide_b_);  // holds 64-bit integers and doubles exactly
  else if (a_.is_complex() || b_.is_complex())
    subtract(a, b, count, doubles_a_, doubles_b_);
  else
    subtract_doubles(a, b, count);
}

template <class Number>
void PairDifferences::subtract(const std::byte* a, const std::byte* b, std::uint32_t count, std::vector<Number>& x,
                               std::vector<Number>& y) {
  const std::size_t parts = a_.is_complex() || b_.is_complex() ? 2 : 1;
  a_.read(a, count, parts, x);
  b_.read(b, count, parts, y);
  for (std::uint32_t i = 0; i < count; ++i)
    subtract_pair(i, std::span<const Number>(x).subspan(i * parts, parts), std::span<const Number>(y).subspan(i * parts, parts));
}

template <class Number>
void PairDifferences::subtract_pair(std::size_t pair, std::span<const Number> x, std::span<const Number> y) {
  const bool equal = std::ranges::equal(x, y) || (has_nan(x) && has_nan(y));
  unequal_[pair] = equal ? 0 : 1;
  differences_[pair] = equal ? 0 : difference(x, y);
}

// What comes out as a finite number is right; the others are looked at one by one. Loops without branches, for vector code.
void PairDifferences::subtract_doubles(const std::byte* a, const std::byte* b, std::uint32_t count) {
  a_.read(a, count, 1, doubles_a_);
  b_.read(b, count, 1, doubles_b_);
  const double* const x = doubles_a_.data();
  const double* const y = doubles_b_.data();
  double* const out = differences_.data();
  for (std::uint32_t i = 0; i < count; ++i) unequal_[i] = x[i] != y[i] ? 1 : 0;
  switch (kind_) {
    case DifferenceKind::absolute:
      for (std::uint32_t i = 0; i < count; ++i) out[i] = std::abs(x[i] - y[i]);
      break;
    case DifferenceKind::relative:
      for (std::uint32_t i = 0; i < count; ++i) out[i] = std::abs(x[i] - y[i]) / std::abs(y[i]);
      break;
    case DifferenceKind::unequal:  // NaN where a value is NaN
      for (std::uint32_t i = 0; i < count; ++i) out[i] = (x[i] - x[i]) * 0 + (y[i] - y[i]) * 0 + (x[i] != y[i] ? 1 : 0);
      break;
    default:
      for (std::uint32_t i = 0; i < count; ++i) out[i] = x[i] - y[i];
  }
  unsigned special = 0;
  for (std::uint32_t i = 0; i < count; ++i) special |= std::abs(out[i]) <= std::numeric_limits<double>::max() ? 0U : 1U;
  if (special == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!std::isfinite(out[i])) subtract_pair(i, std::span<const double>(x + i, 1), std::span<const double>(y + i, 1));
  }
}

// Of values that are not equal.
template <class Number>
double PairDifferences::difference(std::span<const Number> x, std::span<const Number> y) const {
  if (kind_ == DifferenceKind::unequal) return 1;
  if (has_nan(x) || has_nan(y)) return std::numeric_limits<double>::quiet_NaN();
  const NumberDistance<Number> distance = distance_of(x, y);
  if (kind_ == DifferenceKind::relative) return static_cast<double>(distance.relative());
  const auto size = static_cast<double>(distance.absolute());
  const bool is_negative = kind_ == DifferenceKind::difference && x.size() == 1 && x[0] < y[0];
  return is_negative ? -size : size;
}

}  // namespace dlscope::core
