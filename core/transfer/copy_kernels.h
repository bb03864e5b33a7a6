// The inner loops of a strided copy, one set for each instruction set that is worth having; which one runs is decided when the
// program starts. Pointers are to elements; strides are in bytes. Items of 1, 2, 4 and 8 bytes, by the logarithm of their size.
// thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscope::core {

inline constexpr std::size_t kLineBytes = 64;

// How results reach memory. stream: past the caches, for copies that are larger than them.
enum class Store : std::uint8_t { cached, stream };

// A rectangle whose elements lie side by side along one axis in the source and along the other in the target.
struct TransposedRect {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::int64_t rows = 0;         // elements side by side in the target
  std::int64_t columns = 0;      // elements side by side in the source
  std::int64_t from_pitch = 0;   // in the source, from one row to the next
  std::int64_t to_pitch = 0;     // in the target, from one column to the next
};

struct CopyKernels {
  const char* name = "";
  // bytes side by side on both sides. `to` aligned to a line, bytes a multiple of one.
  void (*stream)(const std::byte* from, std::byte* to, std::size_t bytes) = nullptr;
  // count runs of 32 bytes and more, from_pitch and to_pitch from one to the next.
  void (*copy_runs)(const std::byte* from, std::int64_t from_pitch, std::byte* to, std::int64_t to_pitch, std::size_t bytes,
                    std::size_t count, Store store) = nullptr;
  // count elements, from the one at `last` backwards.
  void (*reverse[4])(const std::byte* last, std::byte* to, std::size_t count) = {};
  // Whole lines on both sides: rows and columns are multiples of kLineBytes / item size. Store::stream: `to` and its pitch too.
  void (*transpose_lines[4])(const TransposedRect& rect, Store store) = {};
  // Any rectangle; blocks of 16 x 16 bytes and what is left.
  void (*transpose_blocks[4])(const TransposedRect& rect) = {};
  // `count` groups of `group` (2, 3 or 4) elements side by side: element c of each goes to to[c], for the first to.size().
  void (*split[4])(const std::byte* from, std::size_t group, std::span<std::byte* const> to, std::size_t count) = {};
  // The opposite: from.size() sources, 2, 3 or 4.
  void (*join[4])(std::span<const std::byte* const> from, std::byte* to, std::size_t count) = {};
};

// Those this machine can run, the best one last. Never empty.
[[nodiscard]] std::span<const CopyKernels* const> all_copy_kernels();
[[nodiscard]] inline const CopyKernels& copy_kernels() { return *all_copy_kernels().back(); }

}  // namespace dlscope::core
