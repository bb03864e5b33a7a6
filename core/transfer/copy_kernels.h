// The inner loops of a strided copy, compiled once per instruction set and chosen at run time. Pointers are to elements; strides
// and pitches are in bytes. Arrays of four functions are indexed by log2 of the item size (1, 2, 4 or 8 bytes).
// thread: any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscope::core {

inline constexpr std::size_t kLineBytes = 64;

// How results are written. stream: with non-temporal stores that bypass the caches, for copies larger than these.
enum class Store : std::uint8_t { cached, stream };

// A rectangle to transpose: its elements are contiguous along one axis in the source and along the other in the target.
struct TransposedRect {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::int64_t rows = 0;         // contiguous elements in the target
  std::int64_t columns = 0;      // contiguous elements in the source
  std::int64_t from_pitch = 0;   // in the source, from one row to the next
  std::int64_t to_pitch = 0;     // in the target, from one column to the next
};

// The item sizes that are transposed in tiles, in bytes.
inline constexpr std::array<std::int64_t, 8> kTileItems{1, 2, 3, 4, 6, 8, 12, 16};

struct CopyKernels {
  const char* name = "";
  // Copies contiguous bytes with non-temporal stores. `to` must be aligned to kLineBytes, and `bytes` a multiple of it.
  void (*stream)(const std::byte* from, std::byte* to, std::size_t bytes) = nullptr;
  // Copies `count` runs of `bytes` >= 32 bytes.
  void (*copy_runs)(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch, std::size_t bytes,
                    std::size_t count, Store store) = nullptr;
  // Copies `count` elements in reverse order, starting with the one at `last`.
  void (*reverse[4])(const std::byte* last, std::byte* to, std::size_t count) = {};
  // Transposes any rectangle of items of kTileItems[i] bytes in tiles of whole cache lines, each fetched before it is needed.
  // Pays from two lines a side on. With Store::stream the lines of the target that are not at the ends of its rows bypass the
  // caches, wherever the rows begin.
  void (*transpose_tiles[kTileItems.size()])(const TransposedRect& rect, Store store) = {};
  // Transposes any rectangle, in blocks of 16 x 16 bytes and a remainder.
  void (*transpose_blocks[4])(const TransposedRect& rect) = {};
  // Splits `count` groups of `group` (2, 3 or 4) contiguous elements (such
  // as RGB pixels): element c of each goes to to[c], for c < to.size().
  void (*split[4])(const std::byte* from, std::size_t group, std::span<std::byte* const> to, std::size_t count) = {};
  // The opposite: interleaves from.size() (2, 3 or 4) sources.
  void (*join[4])(std::span<const std::byte* const> from, std::byte* to, std::size_t count) = {};
};

// The versions that this machine can run, the fastest last. Never empty.
[[nodiscard]] std::span<const CopyKernels* const> all_copy_kernels();
[[nodiscard]] inline const CopyKernels& copy_kernels() { return *all_copy_kernels().back(); }

}  // namespace dlscope::core
