// The quick loop over floating-point values of 16 bits, for block_kernels.cpp only. Included once for each instruction set.
// Only the sums need the values as floats. Everything else is told by their bits, sign and magnitude, twice as many to a vector.
#if defined(DLSCOPE_HALF_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_HALF_LOOPS_INL_H_
#undef DLSCOPE_HALF_LOOPS_INL_H_
#else
#define DLSCOPE_HALF_LOOPS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/statistics/block_kernels.h"
#include "core/statistics/float_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr std::int16_t smallest_normal_code() {
  return std::is_same_v<T, hwy::float16_t> ? 0x0400 : 0x0080;
}

template <class T>
float half_as_float(std::uint16_t code) {
  const hn::ScalableTag<float> d;
  T values[hn::MaxLanes(d)];
  for (T& value : values) std::memcpy(&value, &code, sizeof code);
  return hn::GetLane(load_wide(d, values));
}

// What the bits tell. Lanes count to 16 bits, which is enough for a block.
struct HalfCodes {
  using D = hn::ScalableTag<std::int16_t>;
  using DU = hn::RebindToUnsigned<D>;
  using V = hn::Vec<D>;
  static_assert(kBlockBytes / sizeof(std::int16_t) < 0x8000);

  // As signed numbers the positive values come in their order and the negative ones, below them, in the reverse order.
  V lowest, highest;
  hn::Vec<DU> highest_unsigned;  // the most negative value, where there is one
  V positive, zero, tiny;

  HWY_INLINE void add(V code, V smallest) {
    const D d;
    const V magnitude = hn::And(code, hn::Set(d, std::int16_t{0x7fff}));
    lowest = hn::Min(lowest, code);
    highest = hn::Max(highest, code);
    highest_unsigned = hn::Max(highest_unsigned, hn::BitCast(DU(), code));
    positive = hn::Sub(positive, hn::VecFromMask(d, hn::Lt(hn::Zero(d), code)));
    zero = hn::Sub(zero, hn::VecFromMask(d, hn::Eq(magnitude, hn::Zero(d))));
    tiny = hn::Sub(tiny, hn::VecFromMask(d, hn::Lt(magnitude, smallest)));
  }

  // repeated: how many of the values were no values of the block, but its last one once more.
  template <class T>
  HWY_INLINE void finish(std::size_t count, std::size_t repeated, std::int16_t last, FloatBlock& out) const {
    const D d;
    const auto total = [&](V lanes, bool counts_last) HWY_ATTR {
      const auto all = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(d, lanes)));
      return all - static_cast<std::uint32_t>(counts_last ? repeated : 0);
    };
    const auto magnitude = static_cast<std::int16_t>(last & 0x7fff);
    out.zero = total(zero, magnitude == 0);
    out.subnormal = total(tiny, magnitude < smallest_normal_code<T>()) - out.zero;
    out.negative = static_cast<std::uint32_t>(count) - out.zero - total(positive, last > 0);
    const auto least = static_cast<std::uint16_t>(hn::GetLane(hn::MinOfLanes(d, lowest)));
    const auto most = static_cast<std::uint16_t>(hn::GetLane(hn::MaxOfLanes(d, highest)));
    const std::uint16_t most_unsigned = hn::GetLane(hn::MaxOfLanes(DU(), highest_unsigned));
    out.min = static_cast<double>(half_as_float<T>(most_unsigned >= 0x8000 ? most_unsigned : least));
    out.max = static_cast<double>(half_as_float<T>(most < 0x8000 ? most : least));
  }
};

template <class T>
struct HalfSums {
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;

  V shift;
  V sum0, sum1, squares0, squares1;

  HWY_INLINE void add(HalfCodes::V code, const T* from) {
    const D d;
    if constexpr (std::is_same_v<T, hwy::bfloat16_t>) {  // the upper half of a float: no need to widen them in their order
      const hn::RebindToUnsigned<D> du;
      const auto pairs = hn::BitCast(du, code);
      add(hn::BitCast(d, hn::ShiftLeft<16>(pairs)), hn::BitCast(d, hn::And(pairs, hn::Set(du, 0xffff'0000))));
    } else {
      add(load_wide(d, from), load_wide(d, from + hn::Lanes(d)));
    }
  }
  HWY_INLINE void add(V first, V second) {
    const V difference0 = hn::Sub(first, shift), difference1 = hn::Sub(second, shift);
    sum0 = hn::Add(sum0, difference0);
    sum1 = hn::Add(sum1, difference1);
    squares0 = hn::MulAdd(difference0, difference0, squares0);
    squares1 = hn::MulAdd(difference1, difference1, squares1);
  }
  // The first `valid` of two vectors' values.
  HWY_INLINE void add_tail(const T* from, std::size_t valid) {
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    const auto counts0 = hn::FirstN(d, std::min(valid, lanes)), counts1 = hn::FirstN(d, valid - std::min(valid, lanes));
    add(hn::IfThenElse(counts0, load_wide(d, from), shift), hn::IfThenElse(counts1, load_wide(d, from + lanes), shift));
  }
};

template <class T>
void quick_half(const std::byte* values, std::size_t count, FloatBlock& out) {
  using Sums = HalfSums<T>;
  const HalfCodes::D d;
  const typename Sums::D df;
  const hn::ScalableTag<double> dd;
  const auto* const from = reinterpret_cast<const T*>(values);
  const auto* const codes_from = reinterpret_cast<const std::int16_t*>(values);
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  const Tail<T> tail(count > whole ? from + whole : from, count > whole ? count - whole : 1, lanes);
  const auto first = load_wide(df, count >= lanes ? from : tail.values);
  const float shift = hn::GetLane(hn::SumOfLanes(df, first)) / static_cast<float>(hn::Lanes(df));
  const auto smallest = hn::Set(d, smallest_normal_code<T>());
  const auto none = hn::Zero(df);
  Sums sums{hn::Set(df, shift), none, none, none, none};
  std::int16_t code{};
  std::memcpy(&code, values, sizeof code);
  const auto start = hn::Set(d, code), no_count = hn::Zero(d);
  HalfCodes codes{start, start, hn::BitCast(HalfCodes::DU(), start), no_count, no_count, no_count};
  auto sum = hn::Zero(dd), squares = hn::Zero(dd);
  const auto flush = [&]() HWY_ATTR {
    add_doubled(df, hn::Add(sums.sum0, sums.sum1), sum);
    add_doubled(df, hn::Add(sums.squares0, sums.squares1), squares);
    sums.sum0 = sums.sum1 = sums.squares0 = sums.squares1 = none;
  };
  for (std::size_t i = 0; i < whole;) {
    const std::size_t end = std::min(whole, i + kStepsInFloat * lanes);
    for (; i < end; i += lanes) {
      const auto loaded = hn::LoadU(d, codes_from + i);
      codes.add(loaded, smallest);
      sums.add(loaded, from + i);
    }
    flush();
  }
  if (whole < count) {
    codes.add(hn::LoadU(d, reinterpret_cast<const std::int16_t*>(tail.values)), smallest);
    sums.add_tail(tail.values, tail.count);
    flush();
    std::memcpy(&code, tail.values + tail.count - 1, sizeof code);
  }
  out.shift = static_cast<double>(shift);
  out.sum = hn::GetLane(hn::SumOfLanes(dd, sum));
  out.squares = hn::GetLane(hn::SumOfLanes(dd, squares));
  codes.template finish<T>(count, whole < count ? lanes - tail.count : 0, code, out);
}

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
