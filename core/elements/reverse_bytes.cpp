// Compiled once for every instruction set of HWY_TARGETS, as core/statistics/block_kernels.cpp is.
#include "core/elements/reverse_bytes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/elements/reverse_bytes.cpp"
#include <hwy/foreach_target.h>  // before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t Each>
void reverse_each(const std::byte* from, std::size_t bytes, std::byte* to) {
  HWY_ALIGN std::uint8_t order[16];
  for (std::size_t i = 0; i < sizeof order; ++i) order[i] = static_cast<std::uint8_t>(i / Each * Each + Each - 1 - i % Each);
  const hn::ScalableTag<std::uint8_t> d;
  const auto index = hn::LoadDup128(d, order);
  const auto* const in = reinterpret_cast<const std::uint8_t*>(from);
  auto* const out = reinterpret_cast<std::uint8_t*>(to);
  const std::size_t step = hn::Lanes(d);
  std::size_t at = 0;
  for (; at + step <= bytes; at += step) hn::StoreU(hn::TableLookupBytes(hn::LoadU(d, in + at), index), d, out + at);
  for (; at + Each <= bytes; at += Each) {
    std::uint8_t one[Each];
    std::memcpy(one, in + at, Each);
    std::reverse(one, one + Each);
    std::memcpy(out + at, one, Each);
  }
  if (at < bytes && out != in) std::memcpy(out + at, in + at, bytes - at);
}

void reverse(std::size_t each, const std::byte* from, std::size_t bytes, std::byte* to) {
  if (each == 2) return reverse_each<2>(from, bytes, to);
  if (each == 4) return reverse_each<4>(from, bytes, to);
  if (each == 8) return reverse_each<8>(from, bytes, to);
}

}  // namespace

extern const ReverseKernels kReverseKernels;
const ReverseKernels kReverseKernels{hwy::TargetName(HWY_TARGET), reverse};

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/base/kernel_targets.h"

namespace dlscope::core {

std::span<const ReverseKernels* const> all_reverse_kernels() {
  static const auto targets = DLSCOPE_KERNEL_TARGETS(ReverseKernels, kReverseKernels);
  return targets.all();
}

void reverse_bytes(std::size_t each, std::span<const std::byte> from, std::byte* to) {
  all_reverse_kernels().back()->reverse(each, from.data(), from.size(), to);
}

}  // namespace dlscope::core
#endif
