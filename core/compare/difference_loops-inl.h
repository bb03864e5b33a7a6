// The loops over values that differ, for compare_kernels.cpp only. Included once for each instruction set. A product and a sum
// are two operations everywhere (-ffp-contract=off), so that every machine finds the same bits.
#if defined(DLSCOPE_DIFFERENCE_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_DIFFERENCE_LOOPS_INL_H_
#undef DLSCOPE_DIFFERENCE_LOOPS_INL_H_
#else
#define DLSCOPE_DIFFERENCE_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/compare/compare_kernels.h"
#include "core/compare/number_distance.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE std::uint64_t largest_lane(hn::Vec<D> v) {
  const D d;
  HWY_ALIGN hn::TFromD<D> lanes[64];
  hn::Store(v, d, lanes);
  hn::TFromD<D> largest = 0;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) largest = std::max(largest, lanes[i]);
  return static_cast<std::uint64_t>(largest);
}

template <class Word>
std::uint64_t count_different(const std::byte* a, const std::byte* b, std::uint64_t count) {
  const hn::ScalableTag<Word> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto *const x = reinterpret_cast<const Word*>(a), *const y = reinterpret_cast<const Word*>(b);
  std::uint64_t different = 0, at = 0;
  for (; at + lanes <= count; at += lanes) different += hn::CountTrue(d, hn::Ne(hn::LoadU(d, x + at), hn::LoadU(d, y + at)));
  for (; at < count; ++at) different += __builtin_memcmp(a + at * sizeof(Word), b + at * sizeof(Word), sizeof(Word)) != 0 ? 1 : 0;
  return different;
}

// Of values of two 64-bit words.
std::uint64_t count_different_pairs(const std::byte* a, const std::byte* b, std::uint64_t count) {
  std::uint64_t different = 0;
  for (std::uint64_t i = 0; i < count; ++i) different += __builtin_memcmp(a + i * 16, b + i * 16, 16) != 0 ? 1 : 0;
  return different;
}

// Patterns of an IEEE 754 format, less the sign, stand in the order of their numbers: 0 and -0 are no step apart.
template <class DS>
HWY_INLINE hn::Vec<DS> place_of(hn::Vec<hn::RebindToUnsigned<DS>> pattern) {
  const DS d;
  const auto negative = hn::BroadcastSignBit(hn::BitCast(d, pattern));
  const auto size = hn::And(hn::BitCast(d, pattern), hn::Set(d, std::numeric_limits<hn::TFromD<DS>>::max()));
  return hn::Sub(hn::Xor(size, negative), negative);
}

template <class Word, int kParts>
std::uint64_t most_steps(const std::byte* a, const std::byte* b, std::uint64_t count, std::uint64_t infinity) {
  using Signed = std::make_signed_t<Word>;
  const hn::ScalableTag<Word> d;
  const hn::RebindToSigned<decltype(d)> ds;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const auto inf = hn::Set(ds, static_cast<Signed>(infinity)), size = hn::Set(ds, std::numeric_limits<Signed>::max());
  const auto is_finite = [&](V pattern) HWY_ATTR { return hn::Lt(hn::And(hn::BitCast(ds, pattern), size), inf); };
  const auto steps = [&](V x, V y) HWY_ATTR {
    const auto p = place_of<decltype(ds)>(x), q = place_of<decltype(ds)>(y);
    return hn::Sub(hn::BitCast(d, hn::Max(p, q)), hn::BitCast(d, hn::Min(p, q)));  // fits, unsigned
  };
  const auto finite_only = [&](auto both, V v) HWY_ATTR { return hn::IfThenElseZero(hn::RebindMask(d, both), v); };
  V most = hn::Zero(d);
  // The last values are copied to where as many zeros follow as fill a vector.
  HWY_ALIGN Word last_x[2 * 64] = {}, last_y[2 * 64] = {};
  const auto add = [&](const Word* from_x, const Word* from_y) HWY_ATTR {
    if constexpr (kParts == 1) {
      const V x = hn::LoadU(d, from_x), y = hn::LoadU(d, from_y);
      most = hn::Max(most, finite_only(hn::And(is_finite(x), is_finite(y)), steps(x, y)));
    } else {
      V x, x_imaginary, y, y_imaginary;
      hn::LoadInterleaved2(d, from_x, x, x_imaginary);
      hn::LoadInterleaved2(d, from_y, y, y_imaginary);
      const auto finite = hn::And(hn::And(is_finite(x), is_finite(x_imaginary)), hn::And(is_finite(y), is_finite(y_imaginary)));
      most = hn::Max(most, finite_only(finite, hn::Max(steps(x, y), steps(x_imaginary, y_imaginary))));
    }
  };
  std::uint64_t at = 0;
  for (; at + lanes <= count; at += lanes)
    add(reinterpret_cast<const Word*>(a) + at * kParts, reinterpret_cast<const Word*>(b) + at * kParts);
  if (at < count) {
    const std::size_t bytes = (count - at) * kParts * sizeof(Word);
    __builtin_memcpy(last_x, a + at * kParts * sizeof(Word), bytes);
    __builtin_memcpy(last_y, b + at * kParts * sizeof(Word), bytes);
    add(last_x, last_y);
  }
  return largest_lane<decltype(d)>(most);
}

// Of 64-bit integers; the largest ratio is that of two rounded numbers.
template <class Integer>
IntegerDifferences integer_differences(const std::byte* a, const std::byte* b, std::uint64_t count) {
  const hn::ScalableTag<Integer> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToFloat<decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  auto largest = hn::Zero(du);
  auto largest_ratio = hn::Zero(df);
  std::uint64_t different = 0, at = 0;
  HWY_ALIGN Integer last_x[64] = {}, last_y[64] = {};
  const auto add = [&](const Integer* from_x, const Integer* from_y) HWY_ATTR {
    const auto x = hn::LoadU(d, from_x), y = hn::LoadU(d, from_y);
    const auto differ = hn::RebindMask(df, hn::Ne(x, y));
    different += hn::CountTrue(df, differ);
    const auto size = hn::Sub(hn::BitCast(du, hn::Max(x, y)), hn::BitCast(du, hn::Min(x, y)));
    auto of = hn::BitCast(du, y);
    if constexpr (std::is_signed_v<Integer>) {
      const auto negative = hn::BitCast(du, hn::BroadcastSignBit(y));
      of = hn::Sub(hn::Xor(of, negative), negative);  // of the least number too
    }
    largest = hn::Max(largest, size);
    largest_ratio = hn::Max(largest_ratio, hn::IfThenElseZero(differ, hn::Div(hn::ConvertTo(df, size), hn::ConvertTo(df, of))));
  };
  for (; at + lanes <= count; at += lanes)
    add(reinterpret_cast<const Integer*>(a) + at, reinterpret_cast<const Integer*>(b) + at);
  if (at < count) {
    __builtin_memcpy(last_x, a + at * sizeof(Integer), (count - at) * sizeof(Integer));
    __builtin_memcpy(last_y, b + at * sizeof(Integer), (count - at) * sizeof(Integer));
    add(last_x, last_y);
  }
  return {different, largest_lane<decltype(du)>(largest), hn::GetLane(hn::MaxOfLanes(df, largest_ratio))};
}

}  // namespace
}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
