// The loops over floating-point values, for block_kernels.cpp only. Included once for each instruction set.
#if defined(DLSCOPE_FLOAT_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_FLOAT_LOOPS_INL_H_
#undef DLSCOPE_FLOAT_LOOPS_INL_H_
#else
#define DLSCOPE_FLOAT_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/statistics/block_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// In which type values are added up: half floats as float.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
constexpr Wide<T> smallest_normal() {
  if constexpr (std::is_same_v<T, hwy::float16_t>) return 0x1p-14f;  // bfloat16 has float's exponents
  return std::numeric_limits<Wide<T>>::min();
}

template <class D, class T>
HWY_INLINE hn::Vec<D> load_wide(D d, const T* from) {
  if constexpr (std::is_same_v<hn::TFromD<D>, T>) {
    return hn::LoadU(d, from);
#if HWY_TARGET == HWY_EMU128
  } else if constexpr (std::is_same_v<T, hwy::float16_t>) {  // Highway's portable code takes NaN and infinities for numbers
    const hn::RebindToSigned<D> di;
    const auto code = hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::uint16_t, D>(), reinterpret_cast<const std::uint16_t*>(from)));
    const auto magnitude = hn::ShiftLeft<13>(hn::And(code, hn::Set(di, 0x7fff)));
    const auto finite = hn::BitCast(di, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112f)));
    const auto is_finite = hn::Lt(magnitude, hn::Set(di, 0x7c00 << 13));
    const auto bits = hn::IfThenElse(is_finite, finite, hn::Or(finite, hn::Set(di, 0x7f80'0000)));
    return hn::BitCast(d, hn::Or(bits, hn::ShiftLeft<16>(hn::And(code, hn::Set(di, 0x8000)))));
#endif
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}

// The last values, fewer than a vector: a full vector, filled up with the last one.
template <class T>
struct Tail {
  alignas(64) T values[64];
  std::size_t count;

  HWY_INLINE Tail(const T* from, std::size_t n, std::size_t lanes) : count(n) {
    // By memcpy: the values may be misaligned.
    for (std::size_t i = 0; i < lanes; ++i)
      std::memcpy(&values[i], reinterpret_cast<const std::byte*>(from) + std::min(i, n - 1) * sizeof(T), sizeof(T));
  }
};

// Float lanes into double ones, in the same order of additions whatever the machine.
template <class D, class V, class VD>
HWY_INLINE void add_doubled(D /*d*/, V v, VD& to) {
  const hn::Half<D> half;
  const hn::RepartitionToWide<D> wide;
  to = hn::Add(to, hn::PromoteTo(wide, hn::LowerHalf(half, v)));
  to = hn::Add(to, hn::PromoteTo(wide, hn::UpperHalf(half, v)));
}

template <class T>
struct QuickSums {
  using W = Wide<T>;
  using D = hn::ScalableTag<W>;
  using DI = hn::RebindToSigned<D>;
  using V = hn::Vec<D>;
  using VI = hn::Vec<DI>;

  V shift;
  V sum0, sum1, squares0, squares1;
  V min, max;
  VI negative, zero, tiny;

  HWY_INLINE void add(V x, V& sum, V& squares) {
    const D d;
    const DI di;
    const V difference = hn::Sub(x, shift);
    sum = hn::Add(sum, difference);
    squares = hn::MulAdd(difference, difference, squares);
    min = hn::Min(min, x);
    max = hn::Max(max, x);
    negative = hn::Sub(negative, hn::BitCast(di, hn::VecFromMask(d, hn::Lt(x, hn::Zero(d)))));
    zero = hn::Sub(zero, hn::BitCast(di, hn::VecFromMask(d, hn::Eq(x, hn::Zero(d)))));
    tiny = hn::Sub(tiny, hn::BitCast(di, hn::VecFromMask(d, hn::Lt(hn::Abs(x), hn::Set(d, smallest_normal<T>())))));
  }
  HWY_INLINE void add_tail(V x, std::size_t count) {
    const D d;
    const DI di;
    const auto valid = hn::FirstN(d, count);
    const V difference = hn::IfThenElseZero(valid, hn::Sub(x, shift));
    sum0 = hn::Add(sum0, difference);
    squares0 = hn::MulAdd(difference, difference, squares0);
    min = hn::Min(min, x);
    max = hn::Max(max, x);
    const auto below_zero = hn::And(valid, hn::Lt(x, hn::Zero(d)));
    const auto is_zero = hn::And(valid, hn::Eq(x, hn::Zero(d)));
    const auto is_tiny = hn::And(valid, hn::Lt(hn::Abs(x), hn::Set(d, smallest_normal<T>())));
    negative = hn::Sub(negative, hn::BitCast(di, hn::VecFromMask(d, below_zero)));
    zero = hn::Sub(zero, hn::BitCast(di, hn::VecFromMask(d, is_zero)));
    tiny = hn::Sub(tiny, hn::BitCast(di, hn::VecFromMask(d, is_tiny)));
  }
};

// Steps of two vectors between two roundings to double: few float additions in a row keep the error small.
inline constexpr std::size_t kStepsInFloat = 16;

template <class T>
void quick(const std::byte* values, std::size_t count, FloatBlock& out) {
  using Sums = QuickSums<T>;
  const typename Sums::D d;
  const typename Sums::DI di;
  using W = typename Sums::W;
  const auto* const from = reinterpret_cast<const T*>(values);
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = count / lanes * lanes;
  const Tail<T> tail(count > whole ? from + whole : from, count > whole ? count - whole : 1, lanes);
  const auto first = count >= lanes ? load_wide(d, from) : load_wide(d, tail.values);
  const W shift = static_cast<W>(hn::GetLane(hn::SumOfLanes(d, first)) / static_cast<W>(lanes));
  const auto zero = hn::Zero(d);
  Sums sums{hn::Set(d, shift), zero, zero, zero, zero, first, first, hn::Zero(di), hn::Zero(di), hn::Zero(di)};
  const hn::ScalableTag<double> dd;
  auto sum = hn::Zero(dd), squares = hn::Zero(dd);
  const auto flush = [&]() HWY_ATTR {
    if constexpr (std::is_same_v<W, double>) {
      sum = hn::Add(sum, hn::Add(sums.sum0, sums.sum1));
      squares = hn::Add(squares, hn::Add(sums.squares0, sums.squares1));
    } else {
      add_doubled(d, hn::Add(sums.sum0, sums.sum1), sum);
      add_doubled(d, hn::Add(sums.squares0, sums.squares1), squares);
    }
    sums.sum0 = sums.sum1 = sums.squares0 = sums.squares1 = zero;
  };
  std::size_t i = 0;
  while (i + 2 * lanes <= whole) {
    const std::size_t end = std::min(whole, i + kStepsInFloat * 2 * lanes);
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      sums.add(load_wide(d, from + i), sums.sum0, sums.squares0);
      sums.add(load_wide(d, from + i + lanes), sums.sum1, sums.squares1);
    }
    flush();
  }
  if (i < whole) sums.add(load_wide(d, from + i), sums.sum0, sums.squares0);
  if (whole < count) sums.add_tail(load_wide(d, tail.values), tail.count);
  flush();
  out.shift = static_cast<double>(shift);
  out.sum = hn::GetLane(hn::SumOfLanes(dd, sum));
  out.squares = hn::GetLane(hn::SumOfLanes(dd, squares));
  out.min = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, sums.min)));
  out.max = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, sums.max)));
  out.negative = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(di, sums.negative)));
  out.zero = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(di, sums.zero)));
  out.subnormal = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(di, sums.tiny))) - out.zero;
}

// The two passes of the careful loop, over vectors of which the first `valid` lanes count.
template <class T>
struct CarefulPasses {
  using D = hn::ScalableTag<Wide<T>>;
  using V = hn::Vec<D>;
  using DD = hn::ScalableTag<double>;

  CarefulBlock& out;
  std::uint64_t* special_bits;
  V min, max;
  Wide<T> shift = 0, scale = 1;  // of the second pass
  hn::Vec<DD> sum, squares;

  HWY_INLINE static std::uint32_t counted(hn::Mask<D> mask) { return static_cast<std::uint32_t>(hn::CountTrue(D(), mask)); }

  HWY_INLINE void classify(V x, hn::Mask<D> valid, std::size_t at) {
    const D d;
    const V infinity = hn::Set(d, std::numeric_limits<Wide<T>>::infinity());
    const V magnitude = hn::Abs(x);
    const auto finite = hn::And(valid, hn::Lt(magnitude, infinity));  // false for NaN
    const auto is_zero = hn::Eq(x, hn::Zero(d));
    const auto special = hn::AndNot(finite, valid);
    out.finite += counted(finite);
    out.pos_inf += counted(hn::And(valid, hn::Eq(x, infinity)));
    out.neg_inf += counted(hn::And(valid, hn::Eq(x, hn::Neg(infinity))));
    out.negative += counted(hn::And(valid, hn::Lt(x, hn::Zero(d))));
    out.zero += counted(hn::And(valid, is_zero));
    out.subnormal += counted(hn::AndNot(is_zero, hn::And(valid, hn::Lt(magnitude, hn::Set(d, smallest_normal<T>())))));
    std::uint64_t bits = 0;
    std::uint8_t bytes[8] = {};
    static_cast<void>(hn::StoreMaskBits(d, special, bytes));
    std::memcpy(&bits, bytes, sizeof bits);
    special_bits[at / 64] |= bits << at % 64;
    min = hn::Min(min, hn::IfThenElse(finite, x, infinity));
    max = hn::Max(max, hn::IfThenElse(finite, x, hn::Neg(infinity)));
  }

  HWY_INLINE void add(V x, hn::Mask<D> valid) {
    const D d;
    const DD dd;
    const V infinity = hn::Set(d, std::numeric_limits<Wide<T>>::infinity());
    const auto finite = hn::And(valid, hn::Lt(hn::Abs(x), infinity));
    const V origin = hn::Set(d, shift);
    const V scaled = hn::IfThenElse(finite, hn::Mul(x, hn::Set(d, scale)), origin);
    const auto add_half = [&](hn::Vec<DD> part) HWY_ATTR {
      const auto difference = hn::Sub(part, hn::Set(dd, static_cast<double>(shift)));
      sum = hn::Add(sum, difference);
      squares = hn::MulAdd(difference, difference, squares);
    };
    if constexpr (std::is_same_v<Wide<T>, double>) {
      add_half(scaled);
    } else {
      const hn::Half<D> half;
      add_half(hn::PromoteTo(dd, hn::LowerHalf(half, scaled)));
      add_half(hn::PromoteTo(dd, hn::UpperHalf(half, scaled)));
    }
  }
};

template <class T>
void careful(const std::byte* values, std::size_t count, CarefulBlock& out, std::uint64_t* special_bits) {
  using Passes = CarefulPasses<T>;
  const typename Passes::D d;
  const auto* const from = reinterpret_cast<const T*>(values);
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  const auto all = hn::FirstN(d, lanes);
  const Tail<T> tail(count > whole ? from + whole : from, count > whole ? count - whole : 1, lanes);
  const auto infinity = hn::Set(d, std::numeric_limits<Wide<T>>::infinity());
  out = {};
  std::memset(special_bits, 0, (count + 63) / 64 * sizeof(std::uint64_t));
  const auto zero = hn::Zero(hn::ScalableTag<double>());
  Passes passes{out, special_bits, infinity, hn::Neg(infinity), 0, 1, zero, zero};
  for (std::size_t i = 0; i < whole; i += lanes) passes.classify(load_wide(d, from + i), all, i);
  if (whole < count) passes.classify(load_wide(d, tail.values), hn::FirstN(d, tail.count), whole);
  out.nan = static_cast<std::uint32_t>(count) - out.finite - out.pos_inf - out.neg_inf;
  if (out.finite == 0) return;
  out.min = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, passes.min)));
  out.max = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, passes.max)));
  // A double's square may overflow or vanish; a power of two keeps it in range and loses nothing. A float's square is a double.
  const double largest = std::max(-out.min, out.max);
  if (std::is_same_v<T, double> && largest > 0x1p500) out.exponent = 600;
  if (std::is_same_v<T, double> && largest < 0x1p-400 && largest > 0) out.exponent = -600;
  const double scale = out.exponent == 0 ? 1.0 : out.exponent > 0 ? 0x1p-600 : 0x1p600;
  passes.scale = static_cast<Wide<T>>(scale);
  passes.shift = static_cast<Wide<T>>(out.min * scale / 2 + out.max * scale / 2);
  for (std::size_t i = 0; i < whole; i += lanes) passes.add(load_wide(d, from + i), all);
  if (whole < count) passes.add(load_wide(d, tail.values), hn::FirstN(d, tail.count));
  const hn::ScalableTag<double> dd;
  out.shift = static_cast<double>(passes.shift);
  out.sum = hn::GetLane(hn::SumOfLanes(dd, passes.sum));
  out.squares = hn::GetLane(hn::SumOfLanes(dd, passes.squares));
}

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
