// Compiled once for every instruction set of HWY_TARGETS (core/statistics/CMakeLists.txt says which): Highway includes this file
// again for each, and core/base/kernel_targets.h chooses.
#include "core/statistics/block_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/statistics/block_kernels.cpp"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

#include "core/statistics/bin_loops-inl.h"
#include "core/statistics/float_loops-inl.h"
#include "core/statistics/half_loops-inl.h"
#include "core/statistics/int_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {

extern const BlockKernels kKernels;
const BlockKernels kKernels{
    hwy::TargetName(HWY_TARGET),
    {quick_half<hwy::float16_t>, quick_half<hwy::bfloat16_t>, quick<float>, quick<double>},
    {careful<hwy::float16_t>, careful<hwy::bfloat16_t>, careful<float>, careful<double>},
    {ints8<false>, ints16, ints32, ints64, ints8<true>},
    count_bins<float>,
    count_bins<double>,
    count_bins_inside<float>,
    count_bins_inside<double>,
    count_int_bins<std::int32_t>,
    count_int_bins<std::int64_t>,
};

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/base/kernel_targets.h"

namespace dlscope::core {

std::span<const BlockKernels* const> all_block_kernels() {
  static const auto targets = DLSCOPE_KERNEL_TARGETS(BlockKernels, kKernels);
  return targets.all();
}

const BlockKernels& block_kernels() { return *all_block_kernels().back(); }

}  // namespace dlscope::core
#endif
