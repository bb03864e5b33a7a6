// Compiled once for every instruction set of HWY_TARGETS, as core/statistics/block_kernels.cpp is: Highway includes this file again
// for each. The statistics' choice of an instruction set serves here too, by its name.
#include "core/reduce/column_kernels.h"

#include <bit>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/reduce/column_kernels.cpp"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {

template <class T>
bool add(const T* HWY_RESTRICT values, std::size_t count, const ColumnSpan<T>& columns) {
  constexpr T kMax = std::numeric_limits<T>::max(), kInfinite = std::numeric_limits<T>::infinity();
  T* HWY_RESTRICT min = columns.min;
  T* HWY_RESTRICT max = columns.max;
  double* HWY_RESTRICT sum = columns.sum;
  unsigned special = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const T value = values[i];
    const bool finite = value <= kMax && value >= -kMax;
    const T low = finite ? value : kInfinite, high = finite ? value : -kInfinite, added = finite ? value : T{0};
    min[i] = low < min[i] ? low : min[i];
    max[i] = high > max[i] ? high : max[i];
    sum[i] += static_cast<double>(added);
    special |= finite ? 0U : 1U;
  }
  return special != 0;
}

inline bool add_f32(const float* values, std::size_t count, const ColumnSpan<float>& columns) {
  return add(values, count, columns);
}
inline bool add_f64(const double* values, std::size_t count, const ColumnSpan<double>& columns) {
  return add(values, count, columns);
}

template <class From, class To>
void widen(const From* HWY_RESTRICT from, std::size_t count, To* HWY_RESTRICT to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

inline void widen_bool(const std::uint8_t* HWY_RESTRICT from, std::size_t count, float* HWY_RESTRICT to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i] != 0 ? 1.0F : 0.0F;
}

// The exponent moved by a multiplication, which makes the subnormal ones right as well.
inline void widen_f16(const std::uint16_t* HWY_RESTRICT from, std::size_t count, float* HWY_RESTRICT to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t code = from[i], magnitude = (code & 0x7fffU) << 13;
    const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
    const std::uint32_t bits = magnitude < (0x7c00U << 13) ? finite : finite | 0x7f80'0000U;
    to[i] = std::bit_cast<float>(bits | (code & 0x8000U) << 16);
  }
}

inline void widen_bf16(const std::uint16_t* HWY_RESTRICT from, std::size_t count, float* HWY_RESTRICT to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = std::bit_cast<float>(std::uint32_t{from[i]} << 16);
}

extern const ColumnKernels kColumnKernels;
const ColumnKernels kColumnKernels{
    hwy::TargetName(HWY_TARGET),
    add_f32,
    add_f64,
    widen_f16,
    widen_bf16,
    widen<std::int8_t, float>,
    widen<std::uint8_t, float>,
    widen_bool,
    widen<std::int16_t, float>,
    widen<std::uint16_t, float>,
    widen<std::int32_t, double>,
    widen<std::uint32_t, double>,
    widen<std::int64_t, double>,
    widen<std::uint64_t, double>,
};

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <string_view>

#include "core/statistics/block_kernels.h"

namespace dlscope::core {

const ColumnKernels& column_kernels() {
#if HWY_ARCH_X86
  const std::string_view best = block_kernels().name;
#if HWY_TARGETS & HWY_AVX3
  if (best == N_AVX3::kColumnKernels.name) return N_AVX3::kColumnKernels;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (best == N_AVX2::kColumnKernels.name) return N_AVX2::kColumnKernels;
#endif
  return HWY_NAMESPACE::kColumnKernels;  // of the instruction set every machine has
#else
  return HWY_NAMESPACE::kColumnKernels;
#endif
}

}  // namespace dlscope::core
#endif
