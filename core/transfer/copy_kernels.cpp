// Compiled once for every instruction set of HWY_TARGETS (set in
// CMakeLists.txt): Highway's foreach_target.h includes this file again for each.
#include "core/transfer/copy_kernels.h"

#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/transfer/copy_kernels.cpp"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dlscope::core::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
const T* items(const std::byte* bytes) {
  return reinterpret_cast<const T*>(bytes);
}
template <class T>
T* items(std::byte* bytes) {
  return reinterpret_cast<T*>(bytes);
}

// Copies one cache line from an unaligned to an aligned address.
HWY_INLINE void stream_line(const std::byte* from, std::byte* to) {
  const hn::CappedTag<std::uint8_t, kLineBytes> d;
  for (std::size_t i = 0; i < kLineBytes; i += hn::Lanes(d))
    hn::Stream(hn::LoadU(d, items<std::uint8_t>(from + i)), d, items<std::uint8_t>(to + i));
}

HWY_INLINE void store_line(const std::byte* from, std::byte* to) {
  const hn::CappedTag<std::uint8_t, kLineBytes> d;
  for (std::size_t i = 0; i < kLineBytes; i += hn::Lanes(d))
    hn::StoreU(hn::LoadU(d, items<std::uint8_t>(from + i)), d, items<std::uint8_t>(to + i));
}

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

// ---- Transposing -----------------------------------------------------------------------------------------------------
// The rows of a block of kBlock x kBlock items are loaded and interleaved with each other log2(kBlock) times, which gives its
// columns. Vectors of 32 bytes hold two blocks: one below the other in the source, one after the other in the target.

template <class T>
constexpr std::size_t kBlock = 16 / sizeof(T);  // rows and columns of one block
template <class T>
using OneBlock = hn::CappedTag<T, kBlock<T>>;
template <class T>
using TwoBlocks = hn::CappedTag<T, 2 * kBlock<T>>;  // only one block's size on machines with 16-byte vectors

template <class T, class D>
HWY_INLINE hn::Vec<D> load_row(D d, const std::byte* from, std::int64_t pitch) {
#if HWY_TARGET != HWY_EMU128
  if constexpr (sizeof(hn::Vec<D>) > 16) {
    const hn::Half<D> half;
    const auto below = hn::LoadU(half, items<T>(from + static_cast<std::int64_t>(kBlock<T>) * pitch));
    return hn::Combine(d, below, hn::LoadU(half, items<T>(from)));
  }
#endif
  (void)pitch;
  return hn::LoadU(d, items<T>(from));
}

// One pass of interleaving: makes rows 2i and 2i + 1 from rows i and i + kBlock / 2.
template <class T, class D, std::size_t... I>
HWY_INLINE void interleave_rows(D d, std::array<hn::Vec<D>, kBlock<T>>& rows, std::index_sequence<I...>) {
  const auto before = rows;
  constexpr std::size_t kHalf = kBlock<T> / 2;
  ((rows[2 * I] = hn::InterleaveLower(d, before[I], before[I + kHalf]),
    rows[2 * I + 1] = hn::InterleaveUpper(d, before[I], before[I + kHalf])),
   ...);
}

template <class T, class D>
HWY_INLINE void transpose_block(D d, const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch) {
  std::array<hn::Vec<D>, kBlock<T>> rows;
  for (std::size_t r = 0; r < kBlock<T>; ++r)
    rows[r] = load_row<T>(d, from + static_cast<std::int64_t>(r) * from_pitch, from_pitch);
  for (std::size_t step = 1; step < kBlock<T>; step *= 2) interleave_rows<T>(d, rows, std::make_index_sequence<kBlock<T> / 2>());
  for (std::size_t c = 0; c < kBlock<T>; ++c) hn::StoreU(rows[c], d, items<T>(to + static_cast<std::int64_t>(c) * to_pitch));
}

template <class T>
void transpose_items(const TransposedRect& rect) {
  constexpr auto kItem = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t c = 0; c < rect.columns; ++c) {
    for (std::int64_t r = 0; r < rect.rows; ++r)
      std::memcpy(rect.to + c * rect.to_pitch + r * kItem, rect.from + r * rect.from_pitch + c * kItem, sizeof(T));
  }
}

// Transposes whole blocks; the last ones overlap those before them, so that there is no remainder.
template <class T, class D>
HWY_INLINE void transpose_overlapping(D d, const TransposedRect& rect) {
  constexpr auto kItem = static_cast<std::int64_t>(sizeof(T));
  constexpr auto kColumns = static_cast<std::int64_t>(kBlock<T>);
  const auto step = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < rect.rows; row += step) {
    const std::int64_t r = HWY_MIN(row, rect.rows - step);
    for (std::int64_t column = 0; column < rect.columns; column += kColumns) {
      const std::int64_t c = HWY_MIN(column, rect.columns - kColumns);
      transpose_block<T>(d, rect.from + r * rect.from_pitch + c * kItem, rect.from_pitch, rect.to + c * rect.to_pitch + r * kItem,
                    rect.to_pitch);
    }
  }
}

template <class T>
void transpose_blocks(const TransposedRect& rect) {
  constexpr auto kSide = static_cast<std::int64_t>(kBlock<T>);
  if (rect.columns < kSide || rect.rows < kSide) return transpose_items<T>(rect);
  if (rect.rows >= static_cast<std::int64_t>(hn::Lanes(TwoBlocks<T>()))) return transpose_overlapping<T>(TwoBlocks<T>(), rect);
  transpose_overlapping<T>(OneBlock<T>(), rect);
}

// Transposes a square of cache lines through two buffers in the level-1 cache. Reads and writes whole lines, so that each is
// touched once; lines whose distance is a power of two compete for the same cache set.
template <class T>
HWY_INLINE void transpose_square(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch, Store store) {
  constexpr std::size_t kItems = kLineBytes / sizeof(T);
  alignas(kLineBytes) std::byte in[kItems * kLineBytes];
  alignas(kLineBytes) std::byte out[kItems * kLineBytes];
  for (std::size_t r = 0; r < kItems; ++r) store_line(from + static_cast<std::int64_t>(r) * from_pitch, in + r * kLineBytes);
  transpose_overlapping<T>(TwoBlocks<T>(), {in, out, kItems, kItems, kLineBytes, kLineBytes});
  for (std::size_t c = 0; c < kItems; ++c) {
    std::byte* const line = to + static_cast<std::int64_t>(c) * to_pitch;
    if (store == Store::stream) {
      stream_line(out + c * kLineBytes, line);
    } else {
      store_line(out + c * kLineBytes, line);
    }
  }
}

template <class T>
void transpose_lines(const TransposedRect& rect, Store store) {
  constexpr auto kItems = static_cast<std::int64_t>(kLineBytes / sizeof(T));
  constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);
  for (std::int64_t r = 0; r < rect.rows; r += kItems) {
    for (std::int64_t c = 0; c < rect.columns; c += kItems) {
      transpose_square<T>(rect.from + r * rect.from_pitch + c / kItems * kLine, rect.from_pitch,
                     rect.to + c * rect.to_pitch + r / kItems * kLine, rect.to_pitch, store);
    }
  }
  if (store == Store::stream) hwy::FlushStream();
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
    .transpose_lines = {transpose_lines<U8>, transpose_lines<U16>, transpose_lines<U32>, transpose_lines<U64>},
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
