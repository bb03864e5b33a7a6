#include "core/transfer/copy_rectangle.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

namespace dlscope::core {
namespace {

constexpr auto kLine = static_cast<std::int64_t>(kLineBytes);

void copy_runs(const CopyRectangle& walk, const std::byte* from, std::byte* to) {
  constexpr std::int64_t kShort = 1024;
  const CopyAxis& inner = walk.inner;
  if (walk.item <= kShort) {
    copy_kernels().copy_runs(from, inner.from, to, inner.to, static_cast<std::size_t>(walk.item),
                             static_cast<std::size_t>(inner.count), walk.store);
    return;
  }
  for (std::int64_t i = 0; i < inner.count; ++i) copy_run(from + i * inner.from, to + i * inner.to, walk.item, walk.store);
}

// Calls `loop` with a copy function for a compile-time item size, so that copying an item is a load and a store.
template <class Loop>
void with_item_size(std::int64_t item, Loop loop) {
  const auto fixed = [&]<std::size_t size>(std::integral_constant<std::size_t, size>) {
    loop([](std::byte* to, const std::byte* from) { std::memcpy(to, from, size); });
  };
  switch (item) {
    case 1:
      return fixed(std::integral_constant<std::size_t, 1>());
    case 2:
      return fixed(std::integral_constant<std::size_t, 2>());
    case 3:
      return fixed(std::integral_constant<std::size_t, 3>());
    case 4:
      return fixed(std::integral_constant<std::size_t, 4>());
    case 6:
      return fixed(std::integral_constant<std::size_t, 6>());
    case 8:
      return fixed(std::integral_constant<std::size_t, 8>());
    case 12:
      return fixed(std::integral_constant<std::size_t, 12>());
    case 16:
      return fixed(std::integral_constant<std::size_t, 16>());
    case 24:
      return fixed(std::integral_constant<std::size_t, 24>());
    default:
      loop([item](std::byte* to, const std::byte* from) { std::memcpy(to, from, static_cast<std::size_t>(item)); });
  }
}

void copy_spread(const CopyAxis& axis, std::int64_t item, const std::byte* from, std::byte* to) {
  with_item_size(item, [&](auto copy_item) {
    for (std::int64_t i = 0; i < axis.count; ++i) copy_item(to + i * axis.to, from + i * axis.from);
  });
}

// Fills by copying what has been written so far, doubling it each time.
void copy_repeat(const CopyAxis& axis, std::int64_t item, const std::byte* from, std::byte* to) {
  if (axis.to != item) return copy_spread(axis, item, from, to);
  const std::int64_t bytes = axis.count * item;
  std::memcpy(to, from, static_cast<std::size_t>(item));
  for (std::int64_t have = item; have < bytes; have *= 2)
    std::memcpy(to + have, to, static_cast<std::size_t>(std::min(have, bytes - have)));
}

// Copies element by element, in squares of cache lines, so that each
// line of either memory is used completely while it is in the cache.
void copy_scattered(const CopyRectangle& walk, const std::byte* from, std::byte* to) {
  const std::int64_t side = std::max<std::int64_t>(1, kLine / walk.item);
  const CopyAxis &inner = walk.inner, &across = walk.across;
  with_item_size(walk.item, [&](auto copy_item) {
    const auto copy_square = [&](std::int64_t a, std::int64_t i) {
      const std::int64_t a_end = std::min(a + side, across.count), i_end = std::min(i + side, inner.count);
      for (std::int64_t x = a; x < a_end; ++x) {
        for (std::int64_t y = i; y < i_end; ++y)
          copy_item(to + x * across.to + y * inner.to, from + x * across.from + y * inner.from);
      }
    };
    // For small items fewer rows at a time, so that they fit into the level-1 cache.
    const std::int64_t width = walk.item >= 16 ? kPanel : side;
    for (std::int64_t panel = 0; panel < across.count; panel += width) {
      const std::int64_t end = std::min(panel + width, across.count);
      for (std::int64_t i = 0; i < inner.count; i += side) {
        for (std::int64_t a = panel; a < end; a += side) copy_square(a, i);
      }
    }
  });
}

void copy_transposed(const CopyRectangle& walk, const std::byte* from, std::byte* to) {
  const CopyKernels& kernels = copy_kernels();
  const TransposedRect rect{from, to, walk.inner.count, walk.across.count, walk.inner.from, walk.across.to};
  if (walk.has_kernel && !fills_tiles(walk)) return kernels.transpose_blocks[walk.log_item](rect);
  kernels.transpose_tiles[std::ranges::find(kTileItems, walk.item) - kTileItems.begin()](rect, walk.store);
}

void copy_split(const CopyRectangle& walk, const std::byte* from, std::byte* to) {
  std::byte* targets[4];
  const auto channels = static_cast<std::size_t>(walk.across.count);
  for (std::size_t c = 0; c < channels; ++c) targets[c] = to + static_cast<std::int64_t>(c) * walk.across.to;
  copy_kernels().split[walk.log_item](from, static_cast<std::size_t>(walk.inner.from / walk.item),
                                      std::span(targets).first(channels), static_cast<std::size_t>(walk.inner.count));
}

void copy_joined(const CopyRectangle& walk, const std::byte* from, std::byte* to) {
  const std::byte* sources[4];
  const auto channels = static_cast<std::size_t>(walk.inner.count);
  for (std::size_t c = 0; c < channels; ++c) sources[c] = from + static_cast<std::int64_t>(c) * walk.inner.from;
  copy_kernels().join[walk.log_item](std::span(sources).first(channels), to, static_cast<std::size_t>(walk.across.count));
}

}  // namespace

void copy_run(const std::byte* from, std::byte* to, std::int64_t bytes, Store store) {
  constexpr std::int64_t kLongEnough = 4096;
  if (store == Store::cached || bytes < kLongEnough) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  const std::int64_t head = std::min(bytes, -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (kLine - 1));
  const std::int64_t whole = (bytes - head) / kLine * kLine;
  std::memcpy(to, from, static_cast<std::size_t>(head));
  copy_kernels().stream(from + head, to + head, static_cast<std::size_t>(whole));
  std::memcpy(to + head + whole, from + head + whole, static_cast<std::size_t>(bytes - head - whole));
}

void copy_rectangle(const CopyRectangle& walk, const std::byte* from, std::byte* to) {
  const CopyAxis& inner = walk.inner;
  switch (walk.method) {
    case CopyMethod::run:
      return copy_runs(walk, from, to);
    case CopyMethod::reverse:
      return copy_kernels().reverse[walk.log_item](from, to, static_cast<std::size_t>(inner.count));
    case CopyMethod::spread:
      return copy_spread(inner, walk.item, from, to);
    case CopyMethod::repeat:
      return copy_repeat(inner, walk.item, from, to);
    case CopyMethod::transpose:
      return copy_transposed(walk, from, to);
    case CopyMethod::split:
      return copy_split(walk, from, to);
    case CopyMethod::join:
      return copy_joined(walk, from, to);
    case CopyMethod::scattered:
      return copy_scattered(walk, from, to);
  }
}

}  // namespace dlscope::core
