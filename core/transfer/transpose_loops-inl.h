// The loops that transpose rectangles, for copy_kernels.cpp only. Included once for each instruction set.
#if defined(DLSCOPE_TRANSPOSE_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DLSCOPE_TRANSPOSE_LOOPS_INL_H_
#undef DLSCOPE_TRANSPOSE_LOOPS_INL_H_
#else
#define DLSCOPE_TRANSPOSE_LOOPS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/transfer/copy_kernels.h"

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

// Copies kBytes, a multiple of 32.
template <std::size_t kBytes>
HWY_INLINE void store_bytes(const std::byte* from, std::byte* to) {
  const hn::CappedTag<std::uint8_t, kBytes % kLineBytes == 0 ? kLineBytes : 32> d;
  for (std::size_t i = 0; i < kBytes; i += hn::Lanes(d))
    hn::StoreU(hn::LoadU(d, items<std::uint8_t>(from + i)), d, items<std::uint8_t>(to + i));
}

// ---- Blocks ----------------------------------------------------------------------------------------------------------
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
HWY_INLINE void interleave_block(D d, std::array<hn::Vec<D>, kBlock<T>>& rows) {
  for (std::size_t step = 1; step < kBlock<T>; step *= 2) interleave_rows<T>(d, rows, std::make_index_sequence<kBlock<T> / 2>());
}

template <class T, class D>
HWY_INLINE void transpose_block(D d, const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch) {
  std::array<hn::Vec<D>, kBlock<T>> rows;
  for (std::size_t r = 0; r < kBlock<T>; ++r)
    rows[r] = load_row<T>(d, from + static_cast<std::int64_t>(r) * from_pitch, from_pitch);
  interleave_block<T>(d, rows);
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

// ---- Tiles -----------------------------------------------------------------------------------------------------------
// A rectangle is transposed tile by tile, through two buffers in the level-1 cache. So each cache line of either memory is
// touched once; lines whose distance is a power of two would evict each other in between.

// A tile of items of kItem bytes: 1, 2, 4, 8 or 16, or three quarters of one of these. The latter are spread to kPadded bytes
// while they are in registers. kCarries: as of Transposer.
template <std::size_t kItem, bool kCarries>
struct Tile {
  static constexpr std::size_t kItemBytes = kItem, kPadded = std::bit_ceil(kItem);
  static constexpr bool kSpread = kItem != kPadded;
  static constexpr std::size_t kRowBytes = kSpread ? 3 * kLineBytes : kLineBytes;  // of the target: whole items, whole lines
  // Of the source. Tiles of few rows are wide, so that what is carried has left the store buffer before it is read again.
  static constexpr std::size_t kRunBytes = kSpread ? 96 : kCarries && kItem >= 4 ? 2 * kLineBytes : kLineBytes;
  static constexpr auto kRows = static_cast<std::int64_t>(kRowBytes / kItem);
  static constexpr auto kColumns = static_cast<std::int64_t>(kRunBytes / kItem);
  static constexpr std::size_t kInPitch = kSpread ? 2 * kLineBytes : kRunBytes;  // a vector may be loaded beyond the run
  static constexpr std::size_t kGap = kSpread ? 2 * kLineBytes : kLineBytes;  // between rows of the target, for what is carried
};

// Where the bytes of spread (or joined) items come from in a vector of joined (or spread) ones.
template <std::size_t kItem>
constexpr std::array<std::uint8_t, 16> spread_from(bool joins) {
  constexpr std::size_t kPadded = std::bit_ceil(kItem);
  std::array<std::uint8_t, 16> from{};
  for (std::size_t i = 0; i < 16 / kPadded; ++i) {
    for (std::size_t b = 0; b < kItem; ++b) {
      const std::size_t joined = i * kItem + b, spread = i * kPadded + b;
      from[joins ? joined : spread] = static_cast<std::uint8_t>(joins ? spread : joined);
    }
  }
  return from;
}

// Writes up to 4 bytes beyond each row of `to`.
template <class Shape, class T>
HWY_INLINE void transpose_spread(const std::byte* from, std::byte* to, std::int64_t to_pitch) {
  constexpr std::size_t kItem = Shape::kItemBytes;
  constexpr auto kSide = static_cast<std::int64_t>(kBlock<T>), kSize = static_cast<std::int64_t>(kItem);
  static constexpr std::array kSpread = spread_from<kItem>(false), kJoin = spread_from<kItem>(true);
  const OneBlock<T> d;
  const OneBlock<std::uint8_t> bytes;
  const auto spread = hn::LoadU(bytes, kSpread.data()), join = hn::LoadU(bytes, kJoin.data());
  for (std::int64_t c = 0; c < Shape::kColumns; c += kSide) {
    for (std::int64_t r = 0; r < Shape::kRows; r += kSide) {  // upwards: a row's next vector replaces what was written beyond
      std::array<hn::Vec<decltype(d)>, kBlock<T>> rows;
      for (std::int64_t i = 0; i < kSide; ++i) {
        const std::byte* const run = from + (r + i) * static_cast<std::int64_t>(Shape::kInPitch) + c * kSize;
        rows[static_cast<std::size_t>(i)] =
            hn::BitCast(d, hn::TableLookupBytes(hn::LoadU(bytes, items<std::uint8_t>(run)), spread));
      }
      interleave_block<T>(d, rows);
      for (std::int64_t i = 0; i < kSide; ++i) {
        const auto joined = hn::TableLookupBytes(hn::BitCast(bytes, rows[static_cast<std::size_t>(i)]), join);
        hn::StoreU(joined, bytes, items<std::uint8_t>(to + (c + i) * to_pitch + r * kSize));
      }
    }
  }
}

// Items of a vector's size need no interleaving.
template <class Shape>
HWY_INLINE void transpose_vectors(const std::byte* from, std::byte* to, std::int64_t to_pitch) {
  constexpr auto kSize = static_cast<std::int64_t>(Shape::kItemBytes);
  const OneBlock<std::uint8_t> d;
  for (std::int64_t c = 0; c < Shape::kColumns; ++c) {
    for (std::int64_t r = 0; r < Shape::kRows; ++r) {
      const std::byte* const item = from + r * static_cast<std::int64_t>(Shape::kInPitch) + c * kSize;
      hn::StoreU(hn::LoadU(d, items<std::uint8_t>(item)), d, items<std::uint8_t>(to + c * to_pitch + r * kSize));
    }
  }
}

template <class Shape>
HWY_INLINE void transpose_in_buffers(const std::byte* from, std::byte* to, std::int64_t to_pitch) {
  constexpr std::size_t kItem = Shape::kItemBytes;
  const auto whole = [&]<class T>(T /*item*/) HWY_ATTR {
    transpose_overlapping<T>(TwoBlocks<T>(), {from, to, Shape::kRows, Shape::kColumns, Shape::kInPitch, to_pitch});
  };
  if constexpr (kItem == 1) whole(std::uint8_t{});
  if constexpr (kItem == 2) whole(std::uint16_t{});
  if constexpr (kItem == 3) transpose_spread<Shape, std::uint32_t>(from, to, to_pitch);
  if constexpr (kItem == 4) whole(std::uint32_t{});
  if constexpr (kItem == 6) transpose_spread<Shape, std::uint64_t>(from, to, to_pitch);
  if constexpr (kItem == 8) whole(std::uint64_t{});
  if constexpr (kItem == 12 || kItem == 16) transpose_vectors<Shape>(from, to, to_pitch);
}

// With Store::stream the target is written in whole aligned lines, except at both ends of its rows. Where rows do not begin at a
// line, the last, unfinished line of each is carried over to the tile that continues the row (kCarries).
template <std::size_t kItem, bool kCarries>
class Transposer {
 public:
  Transposer(const TransposedRect& rect, Store store)
      : rect_(rect),
        streams_(store == Store::stream),
        shift_(kCarries ? static_cast<std::size_t>(rect.to_pitch) % kLineBytes : 0) {}

  void run() {
    for (std::int64_t panel = 0; panel < rect_.columns; panel += kPanel) {
      panel_ = panel;
      panel_end_ = HWY_MIN(rect_.columns, panel + kPanel);
      for (std::int64_t r = 0; r < rect_.rows; r += Shape::kRows) {
        for (std::int64_t c = panel_; c < panel_end_; c += Shape::kColumns) tile(r, c);
      }
    }
    if (streams_) hwy::FlushStream();
  }

 private:
  using Shape = Tile<kItem, kCarries>;
  static constexpr auto kSize = static_cast<std::int64_t>(kItem);
  // Few enough rows of the target at a time for their pages to stay in the TLB.
  static constexpr std::int64_t kPanel = 512 / Shape::kColumns * Shape::kColumns;

  [[nodiscard]] std::byte* target(std::int64_t r, std::int64_t c) const { return rect_.to + c * rect_.to_pitch + r * kSize; }
  [[nodiscard]] const std::byte* source(std::int64_t r, std::int64_t c) const {
    return rect_.from + r * rect_.from_pitch + c * kSize;
  }
  // Bytes of the line in which a tile's part of row c begins that belong to the tile before, or to what precedes the row.
  [[nodiscard]] std::size_t carried_bytes(std::int64_t c) const {
    return kCarries ? reinterpret_cast<std::uintptr_t>(target(0, c)) % kLineBytes : 0;
  }
  std::byte* carried_line(std::int64_t c) { return carried_ + static_cast<std::size_t>(c - panel_) * kLineBytes; }

  HWY_INLINE void tile(std::int64_t r, std::int64_t c) {
    const std::int64_t rows = HWY_MIN(Shape::kRows, rect_.rows - r), columns = HWY_MIN(Shape::kColumns, panel_end_ - c);
    prefetch_after(r, c);
    read_runs(r, c, rows, columns);
    std::byte* const out = out_ + carried_bytes(c);  // so that each row is aligned as it is in the target
    const std::size_t out_pitch = Shape::kRowBytes + (Shape::kSpread || kCarries ? Shape::kGap : 0) + shift_;
    const auto row = [&](std::int64_t i) HWY_ATTR { return out + static_cast<std::size_t>(i) * out_pitch; };
    for (std::int64_t i = 0; kCarries && r > 0 && i < columns; ++i) {
      const std::size_t carried = carried_bytes(c + i);
      if (carried > 0) store_bytes<kLineBytes>(carried_line(c + i), row(i) - carried);
    }
    transpose_in_buffers<Shape>(in_row(0), out, static_cast<std::int64_t>(out_pitch));
    const bool is_inside = kCarries ? r > 0 && r + rows < rect_.rows : rows == Shape::kRows;
    for (std::int64_t i = 0; i < columns; ++i) {
      if (is_inside)
        write_inside(row(i), r, c + i);
      else
        write_end(row(i), r, c + i, static_cast<std::size_t>(rows * kSize));
    }
  }

  std::byte* in_row(std::int64_t i) { return in_ + static_cast<std::size_t>(i + 1) * Shape::kInPitch; }

  // Runs of fewer columns are read together with some before them, which land in the unused end of the row above.
  HWY_INLINE void read_runs(std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t columns) {
    const std::int64_t before = columns - Shape::kColumns;
    const std::byte* run = source(r, c);
    if (columns == Shape::kColumns && rows == Shape::kRows) {
      for (std::int64_t i = 0; i < Shape::kRows; ++i, run += rect_.from_pitch) store_bytes<Shape::kRunBytes>(run, in_row(i));
    } else if (c + before >= 0) {
      for (std::int64_t i = 0; i < rows; ++i, run += rect_.from_pitch)
        store_bytes<Shape::kRunBytes>(run + before * kSize, in_row(i) + before * kSize);
    } else {
      for (std::int64_t i = 0; i < rows; ++i, run += rect_.from_pitch)
        std::memcpy(in_row(i), run, static_cast<std::size_t>(columns * kSize));
    }
  }

  HWY_INLINE void write_line(const std::byte* from, std::byte* to) const {
    if (streams_)
      stream_line(from, to);
    else
      store_bytes<kLineBytes>(from, to);
  }

  // A part of row c of the target that has another one before and after it.
  HWY_INLINE void write_inside(const std::byte* row, std::int64_t r, std::int64_t c) {
    const std::size_t carried = carried_bytes(c);
    std::byte* const to = target(r, c) - carried;
    for (std::size_t b = 0; b < Shape::kRowBytes; b += kLineBytes) write_line(row - carried + b, to + b);
    if (carried > 0) store_bytes<kLineBytes>(row - carried + Shape::kRowBytes, carried_line(c));
  }

  // A part with which the row may begin or end.
  void write_end(const std::byte* row, std::int64_t r, std::int64_t c, std::size_t bytes) {
    const std::size_t carried = carried_bytes(c);
    const bool is_last = r + Shape::kRows >= rect_.rows;
    std::byte* const to = target(r, c) - carried;
    const std::byte* const from = row - carried;
    std::size_t at = r == 0 ? carried : 0;
    const std::size_t end = is_last ? carried + bytes : (carried + bytes) / kLineBytes * kLineBytes;
    while (at < end) {
      const std::size_t next = HWY_MIN(end, (at / kLineBytes + 1) * kLineBytes);
      if (next - at == kLineBytes)
        write_line(from + at, to + at);
      else
        std::memcpy(to + at, from + at, next - at);
      at = next;
    }
    if (!is_last && carried > 0) store_bytes<kLineBytes>(from + end, carried_line(c));
  }

  // The tile that follows tile (r, c): its runs are too short for the processor to foresee where the next ones are.
  HWY_INLINE void prefetch_after(std::int64_t r, std::int64_t c) const {
    const bool is_last = c + Shape::kColumns >= panel_end_;
    const std::int64_t first = is_last ? r + Shape::kRows : r, column = is_last ? panel_ : c + Shape::kColumns;
    const std::int64_t end = HWY_MIN(first + Shape::kRows, rect_.rows);
    const std::byte* run = source(first, column);
    for (std::int64_t i = first; i < end; ++i, run += rect_.from_pitch) {
      hwy::Prefetch(run);
      if (Shape::kRunBytes > kLineBytes) hwy::Prefetch(run + kLineBytes);
    }
  }

  const TransposedRect& rect_;
  bool streams_;
  std::size_t shift_;  // how much later in its line each row of the target begins than the one before
  std::int64_t panel_ = 0, panel_end_ = 0;
  alignas(kLineBytes) std::byte in_[(Shape::kRows + 1) * Shape::kInPitch];
  alignas(kLineBytes) std::byte out_[(Shape::kColumns + 1) * (Shape::kRowBytes + Shape::kGap + kLineBytes)];
  alignas(kLineBytes) std::byte carried_[kPanel * kLineBytes];
};

template <std::size_t kItem>
void transpose_tiles(const TransposedRect& rect, Store store) {
  const std::uintptr_t rows = reinterpret_cast<std::uintptr_t>(rect.to) | static_cast<std::uintptr_t>(rect.to_pitch);
  if (store == Store::stream && rows % kLineBytes != 0) return Transposer<kItem, true>(rect, store).run();
  Transposer<kItem, false>(rect, store).run();
}

}  // namespace
}  // namespace dlscope::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
