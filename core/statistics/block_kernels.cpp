// Compiled once for every instruction set of HWY_TARGETS (core/statistics/CMakeLists.txt says which): Highway includes this file
// again for each. Its own chooser of targets needs its shared library, which a Python module must not depend on: best_kernels()
// below asks the processor instead.
#include "core/statistics/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/statistics/block_kernels.cpp"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

#include "core/statistics/float_loops-inl.h"
#include "core/statistics/int_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {

extern const BlockKernels kKernels;
const BlockKernels kKernels{
    hwy::TargetName(HWY_TARGET),
    {quick<hwy::float16_t>, quick<hwy::bfloat16_t>, quick<float>, quick<double>},
    {count_zeros<std::uint16_t>, count_zeros<std::uint16_t>, count_zeros<std::uint32_t>, count_zeros<std::uint64_t>},
    {careful<hwy::float16_t>, careful<hwy::bfloat16_t>, careful<float>, careful<double>},
    {ints8<false>, ints16, ints32, ints64, ints8<true>},
    float_bins<float>,
    float_bins<double>,
    float_bins_inside<float>,
    float_bins_inside<double>,
    int_bins32,
    int_bins64,
};

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dlscope::core {
namespace {

KernelList find_kernels() {
  KernelList list;
  const auto add = [&](const BlockKernels& kernels) { list.all[list.count++] = &kernels; };
#if HWY_ARCH_X86
  __builtin_cpu_init();
  const auto has = [](bool all) { return all; };
#if HWY_STATIC_TARGET == HWY_EMU128
  add(N_EMU128::kKernels);
#endif
#if HWY_TARGETS & HWY_AVX2
  const bool avx2 = has(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") && __builtin_cpu_supports("pclmul") &&
                        __builtin_cpu_supports("aes"));
  if (avx2) add(N_AVX2::kKernels);
#endif
#if HWY_TARGETS & HWY_AVX3
  const bool avx512 = has(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"));
  if (avx2 && avx512) add(N_AVX3::kKernels);
#endif
#else
  add(HWY_STATIC_NAMESPACE::kKernels);
#endif
  return list;
}

}  // namespace

const KernelList& all_block_kernels() {
  static const KernelList list = find_kernels();
  return list;
}

const BlockKernels& block_kernels() {
  const KernelList& list = all_block_kernels();
  return *list.all[list.count - 1];
}

}  // namespace dlscope::core
#endif
