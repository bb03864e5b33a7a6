// The conversions to and between integers and bool, and of wide numbers on their way to narrow floats, for convert_kernels.cpp
// only. Included once for each instruction set. Most are loops without branches, of which the compiler makes vectors.
#if defined(DLSCOPE_INTEGER_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_INTEGER_LOOPS_INL_H_
#undef DLSCOPE_INTEGER_LOOPS_INL_H_
#else
#define DLSCOPE_INTEGER_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/transfer/convert_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// result = convert(value) for `count` numbers.
template <class From, class To, class Convert>
HWY_INLINE void for_each_number(const std::byte* from, std::byte* to, std::size_t count, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    const To result = convert(value);
    std::memcpy(to + i * sizeof result, &result, sizeof result);
  }
}

template <class From, class To>
void cast(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  for_each_number<From, To>(from, to, count, [](From value) HWY_ATTR { return static_cast<To>(value); });
}

template <class To>
void from_boolean(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  const auto convert = [](std::uint8_t value) HWY_ATTR { return static_cast<To>(value != 0 ? 1 : 0); };
  for_each_number<std::uint8_t, To>(from, to, count, convert);
}

template <class From>
void to_boolean(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  for_each_number<From, std::uint8_t>(from, to, count,
                                      [](From value) HWY_ATTR { return static_cast<std::uint8_t>(value != From{0} ? 1 : 0); });
}

// What does not fit becomes the nearest that does.
template <class From, class To>
void fit(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  using FromLimits = std::numeric_limits<From>;
  using ToLimits = std::numeric_limits<To>;
  for_each_number<From, To>(from, to, count, [](From value) HWY_ATTR {
    if constexpr (std::cmp_less(FromLimits::min(), ToLimits::min())) {
      constexpr auto low = static_cast<From>(ToLimits::min());
      value = value < low ? low : value;
    }
    if constexpr (std::cmp_greater(FromLimits::max(), ToLimits::max())) {
      constexpr auto high = static_cast<From>(ToLimits::max());
      value = value > high ? high : value;
    }
    return static_cast<To>(value);
  });
}

// Towards zero; NaN becomes 0, and what does not fit the nearest that does.
template <class Real, class Integer>
void truncate(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  using Limits = std::numeric_limits<Integer>;
  // The type that processors convert to; the result fits into both.
  using Wide = std::conditional_t<sizeof(Integer) == 8, Integer,
                                  std::conditional_t<Limits::digits == 32, std::int64_t, std::int32_t>>;
  constexpr bool kExact = Limits::digits <= std::numeric_limits<Real>::digits;  // every Integer is a Real
  constexpr Real low = static_cast<Real>(Limits::min());
  constexpr Real end = static_cast<Real>(std::uint64_t{1} << (Limits::digits - 1)) * 2;
  constexpr Real last = kExact ? end - 1 : end - end / static_cast<Real>(std::uint64_t{1} << std::numeric_limits<Real>::digits);
  for_each_number<Real, Integer>(from, to, count, [=](Real value) HWY_ATTR {
    Real inside = value > low ? value : low;
    inside = inside < last ? inside : last;
    auto result = static_cast<Integer>(static_cast<Wide>(inside));
    if constexpr (!kExact) result = value >= end ? Limits::max() : result;
    return value == value ? result : Integer{0};
  });
}

// Integers of 64 bits that a double cannot represent are rounded to odd: if bits are lost, the lowest is set. Rounded again to a
// narrower float, the result is that of the integer itself.
template <class Integer>
void to_odd_double(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  // Both halves are put into the lower bits of a power of two, which is then subtracted: without error, and with any vectors.
  // A signed upper half is counted from the lowest number on.
  constexpr bool kSigned = std::is_signed_v<Integer>;
  constexpr double lower_one = 0x1p52, upper_one = kSigned ? 0x1p84 + 0x1p63 : 0x1p84;
  for_each_number<Integer, double>(from, to, count, [=](Integer value) HWY_ATTR {
    const auto bits = static_cast<std::uint64_t>(static_cast<std::conditional_t<kSigned, std::int64_t, std::uint64_t>>(value));
    const std::uint64_t upper_bits = bits >> 32 ^ (kSigned ? std::uint64_t{1} << 31 : 0);
    const double upper = std::bit_cast<double>(upper_bits | 0x4530'0000'0000'0000) - upper_one;
    const double lower = std::bit_cast<double>((bits & 0xffff'ffff) | 0x4330'0000'0000'0000) - lower_one;
    const double nearest = upper + lower, lost = lower - (nearest - upper);
    const auto code = std::bit_cast<std::uint64_t>(nearest);
    const std::uint64_t is_larger = (code ^ std::bit_cast<std::uint64_t>(lost)) >> 63;
    return lost != 0 ? std::bit_cast<double>((code - is_larger) | 1) : nearest;
  });
}

// The same from double to float: the nearest float towards zero, with its lowest bit set if that is not the double.
void to_odd_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::RebindToSigned<decltype(df)> dw;
  const std::size_t lanes = hn::Lanes(d);
  const auto convert = [&](const double* in, float* out) HWY_ATTR {
    const auto value = hn::LoadU(d, in);
    const auto nearest = hn::DemoteTo(df, value);
    const auto back = hn::PromoteTo(d, nearest);
    const auto is_larger = hn::IfThenElseZero(hn::Gt(hn::Abs(back), hn::Abs(value)), hn::Set(d, -1.0));
    const auto differs = hn::IfThenElseZero(hn::Ne(back, value), hn::Set(d, 1.0));
    const auto towards_zero = hn::Add(hn::BitCast(dw, nearest), hn::DemoteTo(dw, is_larger));
    hn::StoreU(hn::BitCast(df, hn::Or(towards_zero, hn::DemoteTo(dw, differs))), df, out);
  };
  const auto* in = reinterpret_cast<const double*>(from);
  auto* out = reinterpret_cast<float*>(to);
  for (; count >= lanes; count -= lanes, in += lanes, out += lanes) convert(in, out);
  if (count == 0) return;
  double last_in[hn::MaxLanes(d)] = {};
  float last_out[hn::MaxLanes(d)];
  std::memcpy(last_in, in, count * sizeof(double));
  convert(last_in, last_out);
  std::memcpy(out, last_out, count * sizeof(float));
}

// ---- The tables ------------------------------------------------------------------------------------------------------------

constexpr std::size_t at(NumberKind kind) { return static_cast<std::size_t>(kind); }

// In the order of NumberKind, from int8 on.
using Integers = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                            std::uint64_t>;
constexpr std::size_t kFirst = at(NumberKind::int8);
constexpr auto kEach = std::make_index_sequence<std::tuple_size_v<Integers>>();

template <class From, std::size_t... I>
void add_integers(ConvertKernels& made, std::size_t from, std::index_sequence<I...>) {
  ((made.to_integer[from][kFirst + I] = fit<From, std::tuple_element_t<I, Integers>>), ...);
}

template <std::size_t... I>
void add_all_integers(ConvertKernels& made, std::index_sequence<I...> each) {
  constexpr std::size_t kBoolean = at(NumberKind::boolean), kFloat = at(NumberKind::float32), kDouble = at(NumberKind::float64);
  (add_integers<std::tuple_element_t<I, Integers>>(made, kFirst + I, each), ...);
  ((made.to_integer[kBoolean][kFirst + I] = from_boolean<std::tuple_element_t<I, Integers>>), ...);
  ((made.to_integer[kFirst + I][kBoolean] = to_boolean<std::tuple_element_t<I, Integers>>), ...);
  ((made.to_integer[kFloat][kFirst + I] = truncate<float, std::tuple_element_t<I, Integers>>), ...);
  ((made.to_integer[kDouble][kFirst + I] = truncate<double, std::tuple_element_t<I, Integers>>), ...);
  ((made.to_double[kFirst + I] = cast<std::tuple_element_t<I, Integers>, double>), ...);
  ((made.to_odd_double[kFirst + I] = to_odd_double<std::tuple_element_t<I, Integers>>), ...);
  made.to_integer[kFloat][kBoolean] = to_boolean<float>;
  made.to_integer[kDouble][kBoolean] = to_boolean<double>;
  made.to_double[kBoolean] = from_boolean<double>;
  made.to_odd_float = to_odd_float;
}

}  // namespace
}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
