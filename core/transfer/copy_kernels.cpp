// Compiled once for every instruction set of HWY_TARGETS (set in
// CMakeLists.txt): Highway's foreach_target.h includes this file again for each.
#include "core/transfer/copy_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/transfer/copy_kernels.cpp"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/transfer/transpose_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void stream(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr std::size_t kAhead = 1024;  // prefetch distance; the hardware prefetcher stops at page boundaries
  for (std::size_t i = 0; i < bytes; i += kLineBytes) {
    hwy::Prefetch(from + i + kAhead);
    stream_line(from + i, to + i);
  }
  hwy::FlushStream();
}

template <class D>
HWY_INLINE hn::Vec<D> reversed(D d, hn::Vec<D> v) {
  if constexpr (sizeof(hn::TFromD<D>) > 1) {
    return hn::Reverse(d, v);
  } else {  // reverse the pairs of bytes, then the bytes of each
    const hn::Repartition<std::uint16_t, D> pairs;
    const auto turned = hn::Reverse(pairs, hn::BitCast(pairs, v));
    return hn::BitCast(d, hn::Or(hn::ShiftLeft<8>(turned), hn::ShiftRight<8>(turned)));
  }
}

template <class T>
void reverse(const std::byte* last, std::byte* to, std::size_t count) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const T* from = items<T>(last);
  T* out = items<T>(to);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes, from -= lanes) hn::StoreU(reversed(d, hn::LoadU(d, from - (lanes - 1))), d, out + i);
  for (; i < count; ++i, --from) out[i] = *from;
}

// ---- Runs ------------------------------------------------------------------------------------------------------------

// Copies short runs without a function call for each.
void copy_runs(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch, std::size_t bytes,
               std::size_t count, Store store) {
  const bool lines = store == Store::stream && bytes % kLineBytes == 0 &&
                     (reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(to_pitch)) % kLineBytes == 0;
  const hn::CappedTag<std::uint8_t, 32> d;
  const std::size_t step = hn::Lanes(d);
  for (std::size_t i = 0; i < count; ++i, from += from_pitch, to += to_pitch) {
    if (lines) {
      for (std::size_t b = 0; b < bytes; b += kLineBytes) stream_line(from + b, to + b);
    } else {
      for (std::size_t b = 0; b < bytes; b += step) {  // the last step overlaps the one before
        const std::size_t at = HWY_MIN(b, bytes - step);
        hn::StoreU(hn::LoadU(d, items<std::uint8_t>(from + at)), d, items<std::uint8_t>(to + at));
      }
    }
  }
  if (lines) hwy::FlushStream();
}

// ---- Groups of two, three, four ------------------------------------------------------------------------------------------

template <class T>
void split(const std::byte* from, std::size_t group, std::span<std::byte* const> to, std::size_t count) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const T* in = items<T>(from);
  // The last group may end at the end of the mapped memory, so no load may go beyond it.
  const std::size_t whole = group == to.size() || count == 0 ? count : count - 1;
  std::size_t i = 0;
  for (; i + lanes <= whole; i += lanes, in += group * lanes) {
    hn::Vec<decltype(d)> v[4];
    if (group == 2) hn::LoadInterleaved2(d, in, v[0], v[1]);
    if (group == 3) hn::LoadInterleaved3(d, in, v[0], v[1], v[2]);
    if (group == 4) hn::LoadInterleaved4(d, in, v[0], v[1], v[2], v[3]);
    for (std::size_t c = 0; c < to.size(); ++c) hn::StoreU(v[c], d, items<T>(to[c]) + i);
  }
  for (; i < count; ++i, in += group) {
    for (std::size_t c = 0; c < to.size(); ++c) items<T>(to[c])[i] = in[c];
  }
}

template <class T>
void join(std::span<const std::byte* const> from, std::byte* to, std::size_t count) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d), group = from.size();
  T* out = items<T>(to);
  const auto load = [&](std::size_t c, std::size_t i) { return hn::LoadU(d, items<T>(from[c]) + i); };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes, out += group * lanes) {
    if (group == 2) hn::StoreInterleaved2(load(0, i), load(1, i), d, out);
    if (group == 3) hn::StoreInterleaved3(load(0, i), load(1, i), load(2, i), d, out);
    if (group == 4) hn::StoreInterleaved4(load(0, i), load(1, i), load(2, i), load(3, i), d, out);
  }
  for (; i < count; ++i, out += group) {
    for (std::size_t c = 0; c < group; ++c) out[c] = items<T>(from[c])[i];
  }
}

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

}  // namespace

const CopyKernels& kernels() {
  static const CopyKernels kernels{
    .name = hwy::TargetName(HWY_TARGET),
    .stream = stream,
    .copy_runs = copy_runs,
    .reverse = {reverse<U8>, reverse<U16>, reverse<U32>, reverse<U64>},
    .transpose_tiles = {transpose_tiles<1>, transpose_tiles<2>, transpose_tiles<3>, transpose_tiles<4>, transpose_tiles<6>,
                        transpose_tiles<8>, transpose_tiles<12>, transpose_tiles<16>},
    .transpose_blocks = {transpose_blocks<U8>, transpose_blocks<U16>, transpose_blocks<U32>, transpose_blocks<U64>},
    .split = {split<U8>, split<U16>, split<U32>, split<U64>},
    .join = {join<U8>, join<U16>, join<U32>, join<U64>},
};
  return kernels;
}

}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "core/base/kernel_targets.h"

namespace dlscope::core {

std::span<const CopyKernels* const> all_copy_kernels() {
  static const auto targets = DLSCOPE_KERNEL_TARGETS(CopyKernels, kernels());
  return targets.all();
}

}  // namespace dlscope::core
#endif
