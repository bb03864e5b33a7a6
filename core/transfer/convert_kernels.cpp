// Compiled once for every instruction set of HWY_TARGETS (set in
// CMakeLists.txt): Highway's foreach_target.h includes this file again for each.
#include "core/transfer/convert_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/transfer/convert_kernels.cpp"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

#include "core/transfer/integer_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToSigned<Floats>;  // signed, because AVX2 compares no others
using FloatVec = hn::Vec<Floats>;
using WordVec = hn::Vec<Words>;

constexpr std::int32_t kMagnitude = 0x7fff'ffff;
constexpr std::int32_t kInfinity = 0x7f80'0000;
constexpr std::int32_t kNan = 0x7fc0'0000;

HWY_INLINE WordVec words(std::uint32_t value) { return hn::Set(Words(), static_cast<std::int32_t>(value)); }

// Calls convert(from, to) for a vector's worth of numbers at a time; the last ones are padded with zeros.
template <class From, class To, class Convert>
HWY_INLINE void for_each_vector(const std::byte* from, std::byte* to, std::size_t count, Convert convert) {
  const std::size_t lanes = hn::Lanes(Floats());
  const auto* in = reinterpret_cast<const From*>(from);
  auto* out = reinterpret_cast<To*>(to);
  for (; count >= lanes; count -= lanes, in += lanes, out += lanes) convert(in, out);
  if (count == 0) return;
  From last_in[hn::MaxLanes(Floats())] = {};
  To last_out[hn::MaxLanes(Floats())];
  std::memcpy(last_in, in, count * sizeof(From));
  convert(last_in, last_out);
  std::memcpy(out, last_out, count * sizeof(To));
}

// Every NaN becomes the one without sign and payload.
HWY_INLINE FloatVec with_plain_nan(FloatVec v) {
  return hn::IfThenElse(hn::IsNaN(v), hn::BitCast(Floats(), words(kNan)), v);
}

// ---- Narrow floats of any format -------------------------------------------------------------------------------------------
// Numbers whose exponent is the lowest lack the leading one. They are read by giving them one and subtracting it again, and
// written by adding a number whose last digit is worth the format's smallest: both are exact up to the one rounding.

template <class Code>
constexpr std::uint32_t kCodeSign = 1U << (8 * sizeof(Code) - 1);

template <class Code>
void narrow_to_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat* format) {
  const Floats d;
  const Words dw;
  const hn::Rebind<Code, Floats> codes;
  const int shift = 23 - static_cast<int>(format->mantissa_bits);
  const auto bias = [&](int exponent) { return words(static_cast<std::uint32_t>(exponent - format->bias) << 23); };
  const auto normal_bias = bias(127), tiny_bias = bias(128);
  const auto leading_one = hn::BitCast(d, tiny_bias);
  const auto first_normal = words(1U << format->mantissa_bits);
  const bool has_infinity = format->overflow == Overflow::infinity;
  const auto infinity = words(has_infinity ? format->largest + 1 : ~0U);
  const auto last_number = words(format->largest + (has_infinity ? 1 : 0));
  const auto nan = words(format->nan != 0 ? format->nan : ~0U), magnitude = words(kCodeSign<Code> - 1);
  const auto sign_bit = words(0x8000'0000U);
  for_each_vector<Code, float>(from, to, count, [&](const Code* in, float* out) HWY_ATTR {
    const auto code = hn::PromoteTo(dw, hn::LoadU(codes, in));
    const auto size = hn::And(code, magnitude);
    const auto wide = hn::ShiftLeftSame(size, shift);
    const auto tiny = hn::BitCast(dw, hn::Sub(hn::BitCast(d, hn::Add(wide, tiny_bias)), leading_one));
    auto value = hn::IfThenElse(hn::Lt(size, first_normal), tiny, hn::Add(wide, normal_bias));
    value = hn::IfThenElse(hn::Eq(size, infinity), words(kInfinity), value);
    value = hn::Or(value, hn::And(hn::ShiftLeft<32 - 8 * sizeof(Code)>(code), sign_bit));
    value = hn::IfThenElse(hn::Or(hn::Gt(size, last_number), hn::Eq(code, nan)), words(kNan), value);
    hn::StoreU(hn::BitCast(d, value), d, out);
  });
}

// What follows a format's largest number: infinity and NaN, NaN alone, or nothing; NaN may take the place of negative zero.
enum class EndOfRange : std::uint8_t { infinity, nan, nan_for_negative_zero, nothing };

template <class Code, EndOfRange kEnd>
void narrow_from_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat* format) {
  const Floats d;
  const Words dw;
  const hn::Rebind<Code, Floats> codes;
  const int mantissa = static_cast<int>(format->mantissa_bits), dropped = 23 - mantissa;
  const auto exponent = [&](int power) { return words(static_cast<std::uint32_t>(power - format->bias) << 23); };
  const auto first_normal = exponent(128), smallest_last = exponent(151 - mantissa);
  const auto odd = words(1), below_half = words((1U << (dropped - 1)) - 1);
  const auto bias = words(static_cast<std::uint32_t>(127 - format->bias) << mantissa);
  const auto largest = words(format->largest), nan = words(format->nan), sign_bit = words(kCodeSign<Code>);
  for_each_vector<float, Code>(from, to, count, [&](const float* in, Code* out) HWY_ATTR {
    const auto bits = hn::BitCast(dw, hn::LoadU(d, in));
    auto size = hn::And(bits, words(kMagnitude));
    if constexpr (kEnd == EndOfRange::nan || kEnd == EndOfRange::nan_for_negative_zero)
      size = hn::Min(size, words(kInfinity));  // NaN and infinity become the same
    const auto sign = hn::And(hn::ShiftRight<32 - 8 * sizeof(Code)>(bits), sign_bit);
    const auto lowest = hn::And(hn::ShiftRightSame(size, dropped), odd);
    const auto normal = hn::Sub(hn::ShiftRightSame(hn::Add(size, hn::Add(below_half, lowest)), dropped), bias);
    const auto aligned = hn::Add(hn::BitCast(d, size), hn::BitCast(d, smallest_last));
    const auto code = hn::IfThenElse(hn::Lt(size, first_normal), hn::Sub(hn::BitCast(dw, aligned), smallest_last), normal);
    WordVec result;
    if constexpr (kEnd == EndOfRange::infinity) {
      result = hn::Or(hn::Min(code, hn::Add(largest, odd)), sign);
      result = hn::IfThenElse(hn::Gt(size, words(kInfinity)), nan, result);
    } else if constexpr (kEnd == EndOfRange::nothing) {
      result = hn::IfThenZeroElse(hn::Gt(size, words(kInfinity)), hn::Or(hn::Min(code, largest), sign));
    } else {
      result = hn::IfThenElse(hn::Gt(code, largest), nan, hn::Or(code, sign));
      if constexpr (kEnd == EndOfRange::nan_for_negative_zero) result = hn::IfThenZeroElse(hn::Eq(code, hn::Zero(dw)), result);
    }
    hn::StoreU(hn::DemoteTo(codes, result), codes, out);
  });
}

template <class Code>
void narrow_from_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat* format) {
  if (format->overflow == Overflow::infinity) return narrow_from_float<Code, EndOfRange::infinity>(from, to, count, format);
  if (format->overflow == Overflow::largest) return narrow_from_float<Code, EndOfRange::nothing>(from, to, count, format);
  if (format->has_negative_zero) return narrow_from_float<Code, EndOfRange::nan>(from, to, count, format);
  narrow_from_float<Code, EndOfRange::nan_for_negative_zero>(from, to, count, format);
}

// ---- 16 bits, where there is a quicker way ---------------------------------------------------------------------------------

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3  // rounds to nearest; Highway's portable code does not
void half_to_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  const Floats d;
  const hn::Rebind<hwy::float16_t, Floats> halves;
  const hn::Rebind<std::uint16_t, Floats> codes;
  for_each_vector<std::uint16_t, float>(from, to, count, [&](const std::uint16_t* in, float* out) HWY_ATTR {
    hn::StoreU(with_plain_nan(hn::PromoteTo(d, hn::BitCast(halves, hn::LoadU(codes, in)))), d, out);
  });
}

void half_from_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  const Floats d;
  const hn::Rebind<hwy::float16_t, Floats> halves;
  const hn::Rebind<std::uint16_t, Floats> codes;
  for_each_vector<float, std::uint16_t>(from, to, count, [&](const float* in, std::uint16_t* out) HWY_ATTR {
    hn::StoreU(hn::BitCast(codes, hn::DemoteTo(halves, with_plain_nan(hn::LoadU(d, in)))), codes, out);
  });
}
#else
constexpr ConvertLoop half_to_float = narrow_to_float<std::uint16_t>;
constexpr ConvertLoop half_from_float = narrow_from_float<std::uint16_t>;
#endif

void bfloat_to_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  const Floats d;
  const hn::Rebind<std::uint16_t, Floats> codes;
  for_each_vector<std::uint16_t, float>(from, to, count, [&](const std::uint16_t* in, float* out) HWY_ATTR {
    const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(Words(), hn::LoadU(codes, in)));
    hn::StoreU(with_plain_nan(hn::BitCast(d, wide)), d, out);
  });
}

void bfloat_from_float(const std::byte* from, std::byte* to, std::size_t count, const NarrowFloat*) {
  const Floats d;
  const Words dw;
  const hn::RebindToUnsigned<Words> du;
  const hn::Rebind<std::uint16_t, Floats> codes;
  const auto odd = words(1), below_half = words(0x7fff);
  for_each_vector<float, std::uint16_t>(from, to, count, [&](const float* in, std::uint16_t* out) HWY_ATTR {
    const auto value = hn::LoadU(d, in);
    const auto bits = hn::BitCast(dw, value);
    const auto lowest = hn::And(hn::ShiftRight<16>(bits), odd);
    const auto is_nan = hn::RebindMask(dw, hn::IsNaN(value));
    const auto rounded = hn::IfThenElse(is_nan, words(kNan), hn::Add(bits, hn::Add(below_half, lowest)));
    hn::StoreU(hn::DemoteTo(codes, hn::BitCast(dw, hn::ShiftRight<16>(hn::BitCast(du, rounded)))), codes, out);
  });
}

ConvertKernels make_loops() {
  ConvertKernels made{.name = hwy::TargetName(HWY_TARGET)};
  made.to_float[at(NumberKind::boolean)] = from_boolean<float>;
  made.to_float[at(NumberKind::int8)] = cast<std::int8_t, float>;
  made.to_float[at(NumberKind::uint8)] = cast<std::uint8_t, float>;
  made.to_float[at(NumberKind::int16)] = cast<std::int16_t, float>;
  made.to_float[at(NumberKind::uint16)] = cast<std::uint16_t, float>;
  made.to_float[at(NumberKind::int32)] = cast<std::int32_t, float>;
  made.to_float[at(NumberKind::uint32)] = cast<std::uint32_t, float>;
  made.to_float[at(NumberKind::int64)] = cast<std::int64_t, float>;
  made.to_float[at(NumberKind::uint64)] = cast<std::uint64_t, float>;
  made.to_float[at(NumberKind::float8)] = narrow_to_float<std::uint8_t>;
  made.to_float[at(NumberKind::float16)] = half_to_float;
  made.to_float[at(NumberKind::bfloat16)] = bfloat_to_float;
  made.to_float[at(NumberKind::float64)] = cast<double, float>;
  made.from_float[at(NumberKind::float8)] = narrow_from_float<std::uint8_t>;
  made.from_float[at(NumberKind::float16)] = half_from_float;
  made.from_float[at(NumberKind::bfloat16)] = bfloat_from_float;
  made.from_float[at(NumberKind::float64)] = cast<float, double>;
  made.to_double[at(NumberKind::float32)] = cast<float, double>;
  add_all_integers(made, kEach);
  return made;
}

}  // namespace

const ConvertKernels& convert_loops() {
  static const ConvertKernels loops = make_loops();
  return loops;
}

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/base/kernel_targets.h"

namespace dlscope::core {

std::span<const ConvertKernels* const> all_convert_kernels() {
  static const auto targets = DLSCOPE_KERNEL_TARGETS(ConvertKernels, convert_loops());
  return targets.all();
}

}  // namespace dlscope::core
#endif
