// The loop over numbers that differ, for compare_kernels.cpp only. Included once for each instruction set. A product and a sum are two
// operations everywhere (-ffp-contract=off), so that every machine finds the same bits.
#if defined(DLSCOPE_NUMBER_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_NUMBER_LOOPS_INL_H_
#undef DLSCOPE_NUMBER_LOOPS_INL_H_
#else
#define DLSCOPE_NUMBER_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "core/compare/compare_kernels.h"
#include "core/compare/number_distance.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// |x - y| and |y| of pairs of numbers, as NumberDistance has them for one pair.
template <class D>
struct Distance {
  hn::Vec<D> difference, reference;
  hn::Mask<D> equal, nan_a, nan_b;
};

// As core/base/magnitude.h.
template <class D>
HWY_INLINE hn::Vec<D> magnitude_of(hn::Vec<D> real, hn::Vec<D> imaginary) {
  const D d;
  const auto x = hn::Abs(real), y = hn::Abs(imaginary), large = hn::Max(x, y), small = hn::Min(x, y);
  const auto ratio = hn::Div(small, large);
  const auto length = hn::Mul(large, hn::Sqrt(hn::Add(hn::Set(d, 1.0), hn::Mul(ratio, ratio))));
  const auto as_it_is = hn::Or(hn::Eq(large, hn::Zero(d)), hn::IsInf(large));
  return hn::IfThenElse(as_it_is, large, length);
}

// scaled: of both values times kOverflowScale.
template <class D, int kParts, bool kScaled = false>
HWY_INLINE Distance<D> distance(const double* a, const double* b) {
  const D d;
  const auto scaled = [&](hn::Vec<D> v) HWY_ATTR { return kScaled ? hn::Mul(v, hn::Set(d, kOverflowScale)) : v; };
  if constexpr (kParts == 1) {
    const auto x = scaled(hn::LoadU(d, a)), y = scaled(hn::LoadU(d, b));
    return {hn::Abs(hn::Sub(x, y)), hn::Abs(y), hn::Eq(x, y), hn::IsNaN(x), hn::IsNaN(y)};
  } else {
    hn::Vec<D> x, x_imaginary, y, y_imaginary;
    hn::LoadInterleaved2(d, a, x, x_imaginary);
    hn::LoadInterleaved2(d, b, y, y_imaginary);
    x = scaled(x), x_imaginary = scaled(x_imaginary), y = scaled(y), y_imaginary = scaled(y_imaginary);
    const auto equal = hn::Eq(x, y), equal_imaginary = hn::Eq(x_imaginary, y_imaginary);
    // Equal infinities have no distance; their difference would be NaN.
    const auto apart = hn::IfThenZeroElse(equal, hn::Sub(x, y));
    const auto apart_imaginary = hn::IfThenZeroElse(equal_imaginary, hn::Sub(x_imaginary, y_imaginary));
    return {magnitude_of<D>(apart, apart_imaginary), magnitude_of<D>(y, y_imaginary), hn::And(equal, equal_imaginary),
            hn::Or(hn::IsNaN(x), hn::IsNaN(x_imaginary)), hn::Or(hn::IsNaN(y), hn::IsNaN(y_imaginary))};
  }
}

// What is cheap to know of a pair. The magnitude that distance() finds of the difference is at most difference * (1 + kRoundedUp), that of
// y at least `low_reference` and at most `reference` * (1 + kRoundedUp). NaN or infinite where a part of either number is.
template <class D>
struct Bounds {
  hn::Vec<D> difference, reference, low_reference;
};
inline constexpr double kRoundedUp = 0x1p-46;  // far more than the few roundings of a magnitude

template <class D, int kParts>
HWY_INLINE Bounds<D> bounds(const double* a, const double* b) {
  const D d;
  if constexpr (kParts == 1) {
    const auto x = hn::LoadU(d, a), y = hn::LoadU(d, b), size = hn::Abs(y);
    return {hn::Abs(hn::Sub(x, y)), size, size};
  } else {
    hn::Vec<D> x, x_imaginary, y, y_imaginary;
    hn::LoadInterleaved2(d, a, x, x_imaginary);
    hn::LoadInterleaved2(d, b, y, y_imaginary);
    const auto real = hn::Abs(y), imaginary = hn::Abs(y_imaginary);
    return {hn::Add(hn::Abs(hn::Sub(x, y)), hn::Abs(hn::Sub(x_imaginary, y_imaginary))), hn::Add(real, imaginary),
            hn::Max(real, imaginary)};
  }
}

template <class D, int kParts>
class NumberTotals {
  using V = hn::Vec<D>;
  using DI = hn::RebindToSigned<D>;

 public:
  HWY_INLINE explicit NumberTotals(const NumberLimits& limits)
      : largest_(hn::Zero(D())),
        largest_relative_(hn::Zero(D())),
        known_(hn::Set(D(), limits.absolute)),
        known_relative_(hn::Set(D(), std::min(limits.relative, kRelied))),
        different_(hn::Zero(DI())),
        outside_(hn::Zero(DI())),
        tolerance_(limits.tolerance),
        is_exact_(limits.tolerance == Tolerance{}) {}

  // Nearly all pairs are of finite numbers whose errors are no larger than one found before: no division, no root.
  HWY_INLINE void add(const double* a, const double* b) {
    const D d;
    const Bounds<D> at = bounds<D, kParts>(a, b);
    // Rounded down; where that may have lost all bits, or something may be infinite, it is not relied on.
    const auto limit = hn::Mul(hn::Mul(known_relative_, at.low_reference), hn::Set(d, 1 - kRoundedUp));
    const auto reliable = hn::And(hn::Le(hn::Set(d, kSmallest), limit), hn::Le(limit, hn::Set(d, kLargest)));
    auto known = hn::And(hn::Le(at.difference, limit), reliable);
    if constexpr (kParts == 2) known = hn::And(known, hn::Le(hn::Mul(at.difference, hn::Set(d, 1 + kRoundedUp)), known_));
    if (!is_exact_ || !hn::AllTrue(d, hn::Or(known, hn::Eq(at.difference, hn::Zero(d))))) {
      constexpr double kMost = std::numeric_limits<double>::max() / (kParts == 1 ? 1 : 4);
      const auto finite = hn::And(hn::Le(at.difference, hn::Set(d, kMost)), hn::Le(at.reference, hn::Set(d, kMost)));
      return HWY_LIKELY(hn::AllTrue(d, finite)) ? add_finite(a, b) : add_any(a, b);
    }
    count(different_, hn::Gt(at.difference, hn::Zero(d)));
    if constexpr (kParts == 1) largest_ = hn::Max(largest_, at.difference);
  }

  HWY_INLINE NumberDifferences sums() const {
    const D d;
    const auto sum = [](hn::Vec<DI> v) HWY_ATTR { return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(DI(), v))); };
    NumberDifferences out;
    out.numbers = sum(different_);
    out.both_nan = both_nan_;
    out.one_nan = one_nan_;
    out.outside = is_exact_ ? out.numbers : sum(outside_);  // nothing that differs is inside no tolerance
    out.absolute = hn::GetLane(hn::MaxOfLanes(d, largest_));
    out.relative = hn::GetLane(hn::MaxOfLanes(d, largest_relative_));
    return out;
  }

 private:
  static constexpr double kSmallest = 0x1p-900, kLargest = 0x1p1000;
  static constexpr double kRelied = 0x1p60;  // larger errors than this are looked at, so that what they are measured against is finite

  HWY_INLINE void count(hn::Vec<DI>& to, hn::Mask<D> which) { to = hn::Sub(to, hn::BitCast(DI(), hn::VecFromMask(D(), which))); }

  HWY_INLINE void take(hn::Mask<D> differ, hn::Mask<D> inside, V size, V ratio, V reference) {
    const D d;
    ratio = hn::IfThenElse(hn::Eq(reference, hn::Zero(d)), hn::Inf(d), ratio);
    count(different_, differ);
    count(outside_, hn::AndNot(inside, differ));
    largest_ = hn::Max(largest_, hn::IfThenElseZero(differ, size));
    largest_relative_ = hn::Max(largest_relative_, hn::IfThenElseZero(differ, ratio));
    known_ = hn::Max(known_, largest_);
    known_relative_ = hn::Min(hn::Max(known_relative_, largest_relative_), hn::Set(d, kRelied));
  }

  HWY_INLINE void add_finite(const double* a, const double* b) {
    const D d;
    const Distance<D> at = distance<D, kParts>(a, b);
    const auto relative = hn::Mul(hn::Set(d, tolerance_.relative), at.reference);
    const auto inside = hn::Le(at.difference, hn::Add(hn::Set(d, tolerance_.absolute), relative));
    const auto ratio = hn::Min(hn::Div(at.difference, at.reference), hn::Set(d, std::numeric_limits<double>::max()));
    take(hn::Not(at.equal), inside, at.difference, ratio, at.reference);
  }

  // Also NaN, infinities, and numbers whose distance is too large: as distance_of().
  void add_any(const double* a, const double* b) {
    const D d;
    const auto infinity = hn::Inf(d), most = hn::Set(d, std::numeric_limits<double>::max());
    const auto relative = hn::Set(d, tolerance_.relative);
    const Distance<D> at = distance<D, kParts>(a, b);
    const auto nan = hn::Or(at.nan_a, at.nan_b);
    const auto both = hn::CountTrue(d, hn::And(at.nan_a, at.nan_b));
    both_nan_ += static_cast<std::uint32_t>(both);
    one_nan_ += static_cast<std::uint32_t>(hn::CountTrue(d, nan) - both);
    const auto differ = hn::Not(hn::Or(at.equal, nan));
    const auto is_far = hn::And(differ, hn::Eq(hn::Max(at.difference, at.reference), infinity));
    const Distance<D> scaled = distance<D, kParts, true>(a, b);
    const auto finite = hn::Lt(hn::Max(scaled.difference, scaled.reference), infinity);
    const auto limit = hn::Add(hn::Set(d, kOverflowScale * tolerance_.absolute), hn::Mul(relative, scaled.reference));
    const auto is_near = hn::And(finite, hn::Le(scaled.difference, limit));
    const auto inside = hn::Le(at.difference, hn::Add(hn::Set(d, tolerance_.absolute), hn::Mul(relative, at.reference)));
    const auto far_ratio = hn::IfThenElse(finite, hn::Min(hn::Div(scaled.difference, scaled.reference), most), infinity);
    take(differ, hn::Or(hn::AndNot(is_far, inside), hn::And(is_far, is_near)),
         hn::IfThenElse(hn::And(is_far, finite), hn::Min(at.difference, most), at.difference),
         hn::IfThenElse(is_far, far_ratio, hn::Min(hn::Div(at.difference, at.reference), most)), at.reference);
  }

  V largest_, largest_relative_, known_, known_relative_;
  hn::Vec<DI> different_, outside_;
  std::uint32_t both_nan_ = 0, one_nan_ = 0;
  Tolerance tolerance_;
  bool is_exact_;
};

template <int kParts>
NumberDifferences number_differences(const double* a, const double* b, std::size_t padded, const NumberLimits& limits) {
  using D = hn::CappedTag<double, kDifferencePadding>;
  NumberTotals<D, kParts> totals(limits);
  for (std::size_t i = 0; i < padded; i += kDifferencePadding) {
    for (std::size_t side = 0; side < limits.next.size(); ++side) {
      constexpr std::size_t kLine = 64;
      const std::size_t bytes = limits.next_bytes[side];
      for (std::size_t at = (i * bytes + kLine - 1) / kLine * kLine; at < (i + kDifferencePadding) * bytes; at += kLine)
        __builtin_prefetch(limits.next[side] + at);
    }
    for (std::size_t at = i; at < i + kDifferencePadding; at += hn::Lanes(D())) totals.add(a + at * kParts, b + at * kParts);
  }
  return totals.sums();
}

}  // namespace
}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
