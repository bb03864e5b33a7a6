// The loops over integers, for block_kernels.cpp only. Included once for each instruction set.
#if defined(DLSCOPE_INT_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_INT_LOOPS_INL_H_
#undef DLSCOPE_INT_LOOPS_INL_H_
#else
#define DLSCOPE_INT_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/statistics/block_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What is left after the last whole vector, and the sign of zero: one value at a time.
struct IntTail {
  std::int64_t sum = 0, squares = 0;
  HWY_INLINE void add(std::int64_t value, std::int64_t zero, bool is_signed, IntBlock& out) {
    sum += value;
    squares += value * value;
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    out.zero += value == zero ? 1 : 0;
    out.negative += is_signed && value < 0 ? 1 : 0;
  }
};

// Bytes are added up as 0 ... 255 (an int8's sign bit is turned over), which is 128 more than IntBlock's value.
template <bool kBoolean>
void ints8(const std::byte* values, std::size_t count, bool is_unsigned, IntBlock& out) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::RepartitionToWide<decltype(d)> d16u;
  const hn::RebindToSigned<decltype(d16u)> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const hn::RepartitionToWide<hn::RepartitionToWide<decltype(d16u)>> d64;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Half<decltype(d)> half;
  const auto* const from = reinterpret_cast<const std::uint8_t*>(values);
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  const std::uint8_t flip = is_unsigned || kBoolean ? 0 : 0x80;
  const auto flips = hn::Set(d, flip);
  const auto load = [&](std::size_t i) HWY_ATTR {
    const auto x = hn::LoadU(d, from + i);
    if constexpr (kBoolean) return hn::Min(x, hn::Set(d, std::uint8_t{1}));
    return hn::Xor(x, flips);
  };
  auto min = hn::Set(d, std::uint8_t{255}), max = hn::Zero(d);
  auto sum = hn::Zero(d64), zero = hn::Zero(d64), negative = hn::Zero(d64);
  auto squares0 = hn::Zero(d32), squares1 = hn::Zero(d32);
  for (std::size_t i = 0; i < whole;) {
    const std::size_t end = std::min(whole, i + 255 * lanes);  // as far as a byte counts
    auto zeros = hn::Zero(d);
    auto negatives = hn::Zero(di);
    for (; i < end; i += lanes) {
      const auto x = load(i);
      min = hn::Min(min, x);
      max = hn::Max(max, x);
      sum = hn::Add(sum, hn::SumsOf8(x));
      zeros = hn::Sub(zeros, hn::VecFromMask(d, hn::Eq(x, flips)));
      // The sign bit is turned over: what was negative is positive now.
      const auto turned = hn::BitCast(di, x);
      negatives = hn::Sub(negatives, hn::VecFromMask(di, hn::Lt(hn::Set(di, std::int8_t{-1}), turned)));
      const auto lower = hn::PromoteTo(d16, hn::LowerHalf(half, x)), upper = hn::PromoteTo(d16, hn::UpperHalf(half, x));
      squares0 = hn::ReorderWidenMulAccumulate(d32, lower, lower, squares0, squares1);
      squares0 = hn::ReorderWidenMulAccumulate(d32, upper, upper, squares0, squares1);
    }
    zero = hn::Add(zero, hn::SumsOf8(zeros));
    negative = hn::Add(negative, hn::SumsOf8(hn::BitCast(d, negatives)));
  }
  out = {};
  out.min = 127;
  out.max = -128;
  if (whole > 0) {
    alignas(64) std::array<std::uint8_t, 64> lowest{}, highest{};
    hn::Store(min, d, lowest.data());
    hn::Store(max, d, highest.data());
    out.min = std::int64_t{*std::min_element(lowest.begin(), lowest.begin() + lanes)} - 128;
    out.max = std::int64_t{*std::max_element(highest.begin(), highest.begin() + lanes)} - 128;
  }
  out.zero = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d64, zero)));
  if (flip != 0) out.negative = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d64, negative)));
  const auto bytes = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d64, sum)));
  const std::int64_t byte_squares = hn::GetLane(hn::SumOfLanes(d32, hn::Add(squares0, squares1)));
  const auto n = static_cast<std::int64_t>(whole);
  IntTail tail{bytes - 128 * n, byte_squares - 256 * bytes + 16384 * n};
  for (std::size_t i = whole; i < count; ++i) {
    const std::uint8_t byte = kBoolean ? std::min<std::uint8_t>(from[i], 1) : from[i];
    tail.add(std::int64_t{static_cast<std::uint8_t>(byte ^ flip)} - 128, std::int64_t{flip} - 128, flip != 0, out);
  }
  out.sum = tail.sum;
  out.squares = static_cast<double>(tail.squares);
}

inline void ints16(const std::byte* values, std::size_t count, bool is_unsigned, IntBlock& out) {
  const hn::ScalableTag<std::int16_t> d;
  const hn::RepartitionToWide<decltype(d)> d32;
  const hn::RepartitionToWide<hn::RebindToUnsigned<decltype(d32)>> d64;
  const auto* const from = reinterpret_cast<const std::int16_t*>(values);
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  const auto flip = static_cast<std::int16_t>(is_unsigned ? -32768 : 0);
  const auto flips = hn::Set(d, flip), ones = hn::Set(d, std::int16_t{1});
  auto min = hn::Set(d, std::int16_t{32767}), max = hn::Set(d, std::int16_t{-32768});
  auto zeros = hn::Zero(d), negatives = hn::Zero(d);
  auto sum0 = hn::Zero(d32), sum1 = hn::Zero(d32);
  auto squares = hn::Zero(d64);
  const auto low_half = hn::Set(d64, std::uint64_t{0xffff'ffff});
  const auto add_squares = [&](auto products) HWY_ATTR {  // two of them, at most 2^31 together
    const auto pairs = hn::BitCast(d64, products);
    squares = hn::Add(squares, hn::Add(hn::And(pairs, low_half), hn::ShiftRight<32>(pairs)));
  };
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto x = hn::Xor(hn::LoadU(d, from + i), flips);
    min = hn::Min(min, x);
    max = hn::Max(max, x);
    zeros = hn::Sub(zeros, hn::VecFromMask(d, hn::Eq(x, flips)));
    negatives = hn::Sub(negatives, hn::VecFromMask(d, hn::Lt(x, hn::Zero(d))));
    sum0 = hn::ReorderWidenMulAccumulate(d32, x, ones, sum0, sum1);
    auto odd = hn::Zero(d32);
    const auto even = hn::ReorderWidenMulAccumulate(d32, x, x, hn::Zero(d32), odd);
    add_squares(even);
    add_squares(odd);
  }
  const auto total = [&](auto lane_sums) HWY_ATTR {
    auto second = hn::Zero(d32);
    const auto first = hn::ReorderWidenMulAccumulate(d32, lane_sums, ones, hn::Zero(d32), second);
    return hn::GetLane(hn::SumOfLanes(d32, hn::Add(first, second)));
  };
  out = {};
  out.min = hn::GetLane(hn::MinOfLanes(d, min));
  out.max = hn::GetLane(hn::MaxOfLanes(d, max));
  out.zero = static_cast<std::uint32_t>(total(zeros));
  if (!is_unsigned) out.negative = static_cast<std::uint32_t>(total(negatives));
  IntTail tail{hn::GetLane(hn::SumOfLanes(d32, hn::Add(sum0, sum1))),
               static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d64, squares)))};
  for (std::size_t i = whole; i < count; ++i) {
    std::int16_t value{};
    std::memcpy(&value, from + i, sizeof value);
    tail.add(static_cast<std::int16_t>(value ^ flip), flip, !is_unsigned, out);
  }
  out.sum = tail.sum;
  out.squares = static_cast<double>(tail.squares);
}

// The loop over 32 and 64 bits, which differ in how a difference becomes a double.
template <class T>
struct WideInts {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using DD = hn::ScalableTag<double>;

  V flips, shift, min, max, zeros, negatives, sum;
  hn::Vec<DD> shift_double, sum_double, squares;

  HWY_INLINE void add_double(hn::Vec<DD> difference) { squares = hn::MulAdd(difference, difference, squares); }

  HWY_INLINE void add(V raw) {
    const D d;
    const DD dd;
    const V x = hn::Xor(raw, flips);
    min = hn::Min(min, x);
    max = hn::Max(max, x);
    zeros = hn::Sub(zeros, hn::VecFromMask(d, hn::Eq(x, flips)));
    negatives = hn::Sub(negatives, hn::VecFromMask(d, hn::Lt(x, hn::Zero(d))));
    if constexpr (sizeof(T) == 8) {
      const V difference = hn::Sub(x, shift);
      sum = hn::Add(sum, difference);
      add_double(hn::ConvertTo(dd, difference));
    } else {
      const hn::Half<D> half;
      const auto lower = hn::Sub(hn::PromoteTo(dd, hn::LowerHalf(half, x)), shift_double);
      const auto upper = hn::Sub(hn::PromoteTo(dd, hn::UpperHalf(half, x)), shift_double);
      sum_double = hn::Add(sum_double, hn::Add(lower, upper));
      add_double(lower);
      add_double(upper);
    }
  }
};

template <class T>
void wide_ints(const std::byte* values, std::size_t count, bool is_unsigned, IntBlock& out) {
  using Loop = WideInts<T>;
  const typename Loop::D d;
  const typename Loop::DD dd;
  const auto* const from = reinterpret_cast<const T*>(values);
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  const T flip = is_unsigned ? std::numeric_limits<T>::min() : T{0};
  T first{};
  std::memcpy(&first, from, sizeof first);
  first = static_cast<T>(first ^ flip);
  const auto start = hn::Set(d, first), none = hn::Zero(d);
  Loop loop{hn::Set(d, flip), start,       start, start, none, none, none, hn::Set(dd, static_cast<double>(first)),
            hn::Zero(dd),     hn::Zero(dd)};
  for (std::size_t i = 0; i < whole; i += lanes) loop.add(hn::LoadU(d, from + i));
  out = {};
  out.shift = first;
  out.min = hn::GetLane(hn::MinOfLanes(d, loop.min));
  out.max = hn::GetLane(hn::MaxOfLanes(d, loop.max));
  out.zero = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d, loop.zeros)));
  if (!is_unsigned) out.negative = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d, loop.negatives)));
  out.squares = hn::GetLane(hn::SumOfLanes(dd, loop.squares));
  // Of differences that may not fit, which wrap (too_wide, sum_double): SumOfLanes() adds the last two as signed numbers.
  HWY_ALIGN T sums[hn::MaxLanes(d)];
  hn::Store(loop.sum, d, sums);
  std::uint64_t sum = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += static_cast<std::uint64_t>(std::int64_t{sums[lane]});
  if (sizeof(T) == 4)
    sum = static_cast<std::uint64_t>(static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(dd, loop.sum_double))));
  for (std::size_t i = whole; i < count; ++i) {
    T value{};
    std::memcpy(&value, from + i, sizeof value);
    value = static_cast<T>(value ^ flip);
    const std::uint64_t difference =
        static_cast<std::uint64_t>(std::int64_t{value}) - static_cast<std::uint64_t>(std::int64_t{first});
    sum += difference;
    const auto as_double = static_cast<double>(static_cast<std::int64_t>(difference));
    out.squares += as_double * as_double;
    out.min = std::min<std::int64_t>(out.min, value);
    out.max = std::max<std::int64_t>(out.max, value);
    out.zero += value == flip ? 1 : 0;
    out.negative += !is_unsigned && value < 0 ? 1 : 0;
  }
  out.sum = static_cast<std::int64_t>(sum);
  // 2^11 differences below 2^51 add up without overflow.
  out.too_wide = static_cast<std::uint64_t>(out.max) - static_cast<std::uint64_t>(out.min) >= std::uint64_t{1} << 51;
}

inline void ints32(const std::byte* values, std::size_t count, bool is_unsigned, IntBlock& out) {
  wide_ints<std::int32_t>(values, count, is_unsigned, out);
}
inline void ints64(const std::byte* values, std::size_t count, bool is_unsigned, IntBlock& out) {
  wide_ints<std::int64_t>(values, count, is_unsigned, out);
}

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
